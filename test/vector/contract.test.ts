import { createExactIndex } from '../../src/vector/exact.js'
import { createHnswIndex } from '../../src/vector/hnsw.js'
import { describeVectorIndex } from './index-contract.js'

describeVectorIndex('exact', async (vectors, dimensions) => createExactIndex(vectors, dimensions))
describeVectorIndex('hnsw', (vectors, dimensions) => createHnswIndex(vectors, dimensions))
