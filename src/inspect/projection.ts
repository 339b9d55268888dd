import { seededRandom } from '../random.js'
import { type CatalogNeighbors, takingTurns } from './neighbors.js'
import { principalPlane } from './pca.js'

/** A catalog's map: x and y of each tool, row after row, finite, within −1 to 1. */
export interface Projection {
  readonly method: 'umap' | 'pca'
  readonly points: Float32Array
}

export interface ProjectionOptions {
  readonly vectors: Float32Array
  readonly dimensions: number
  readonly neighbors: CatalogNeighbors
  readonly onProgress?: ((done: number, total: number) => void) | undefined
  readonly abortSignal?: AbortSignal | undefined
}

/** Neighbours that shape the map: UMAP's own default, itself included. */
export const MAP_NEIGHBORS = 15

// Fewer tools than UMAP has neighbours; more than it lays out in a minute.
const MIN_UMAP_TOOLS = MAP_NEIGHBORS + 1
const MAX_UMAP_TOOLS = 20_000

const SEED = 20_261_202

// Half of UMAP's default: the principal plane is a good start.
const epochsFor = (size: number) => (size <= 2_500 ? 300 : 200)

// Slightly apart, so that near-duplicates stay visible beside each other.
const MIN_DISTANCE = 0.15

// umap-js takes quadratic time over rows whose distances are all 0, which equal documents have.
const LEAST_COSINE_DISTANCE = 1e-6

/** Lays the tools out in a plane, like ones together: the same map for the same vectors. */
export async function projectCatalog(options: ProjectionOptions): Promise<Projection> {
  const size = options.vectors.length / options.dimensions
  const isUmap = size >= MIN_UMAP_TOOLS && size <= MAX_UMAP_TOOLS
  const plane = await principalPlane({ ...options, ...(isUmap && { onProgress: undefined }) })
  if (!isUmap) return { method: 'pca', points: scaled(plane) }
  return { method: 'umap', points: scaled(await layOut(options, size, scaled(plane))) }
}

/** UMAP from the principal plane, which keeps the same catalog's regions in the same places (Kobak and Linderman 2021). */
async function layOut(
  { neighbors, onProgress, abortSignal }: ProjectionOptions,
  size: number,
  start: Float32Array,
): Promise<number[]> {
  const UMAP = await loadUmap()
  const random = seededRandom(SEED)
  const count = Math.min(MAP_NEIGHBORS, neighbors.k + 1)
  const umap = new UMAP({ nNeighbors: count, minDist: MIN_DISTANCE, nEpochs: epochsFor(size), random })
  const rows = Array.from({ length: size }, (_, row) => row)
  const neighborRows = (row: number) => Array.from({ length: count - 1 }, (_, rank) => row * neighbors.k + rank)
  umap.setPrecomputedKNN(
    rows.map(row => [row, ...neighborRows(row).map(at => neighbors.ids[at]!)]),
    rows.map(row => [0, ...neighborRows(row).map(at => distanceOf(neighbors.similarities[at]!))]),
  )
  // Only the number of rows is read where the neighbours are given.
  const epochs = umap.initializeFit(rows.map(() => []))
  const points = umap.getEmbedding()
  for (const [row, point] of points.entries()) {
    // Equal vectors start at one place, from which nothing would part them.
    for (let axis = 0; axis < 2; axis++) point[axis] = START_EXTENT * start[row * 2 + axis]! + (random() - 0.5) * JITTER
  }
  const turns = takingTurns(abortSignal)
  for (let epoch = 0; epoch < epochs; epoch++) {
    umap.step()
    onProgress?.(epoch + 1, epochs)
    await turns()
  }
  return points.flat()
}

/** umap-js is CommonJS: its names are the module's own in Node, and its default export's in a bundle. */
async function loadUmap(): Promise<typeof import('umap-js').UMAP> {
  const library: Partial<typeof import('umap-js')> & { default?: typeof import('umap-js') } = await import('umap-js')
  return library.UMAP ?? library.default!.UMAP
}

const START_EXTENT = 10
const JITTER = 0.01

const distanceOf = (similarity: number) => Math.max(LEAST_COSINE_DISTANCE, 1 - similarity)

/** Centred and fitted into −1 to 1, both axes by one factor; what is not finite goes to the centre. */
function scaled(points: ArrayLike<number>): Float32Array {
  const finite = Float64Array.from(points, value => (Number.isFinite(value) ? value : 0))
  const centre = [0, 1].map(axis => {
    const values = finite.filter((_, at) => at % 2 === axis)
    let least = Number.POSITIVE_INFINITY
    let most = Number.NEGATIVE_INFINITY
    for (const value of values) {
      least = Math.min(least, value)
      most = Math.max(most, value)
    }
    return values.length > 0 ? (least + most) / 2 : 0
  })
  const centred = finite.map((value, at) => value - centre[at % 2]!)
  const extent = centred.reduce((most, value) => Math.max(most, Math.abs(value)), 0)
  return Float32Array.from(centred, value => (extent > 0 ? value / extent : 0))
}
