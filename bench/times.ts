import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'

/** How long `work` takes, in ms, and what it gives. */
export async function timed<T>(work: () => T | Promise<T>): Promise<[ms: number, value: T]> {
  const start = performance.now()
  const value = await work()
  return [performance.now() - start, value]
}

/**
 * Times of each system, in turns of `turn` rounds, so that other work on the machine slows all of them; the first rounds
 * don't count.
 */
export async function inTurns<Name extends string>(
  systems: Readonly<Record<Name, (round: number) => unknown>>,
  { rounds, warmUp = 1, turn = 1 }: { rounds: number; warmUp?: number; turn?: number },
): Promise<Record<Name, number[]>> {
  const names = Object.keys(systems) as Name[]
  const times = Object.fromEntries(names.map(name => [name, [] as number[]])) as Record<Name, number[]>
  for (let from = 0; from < warmUp + rounds; from += turn) {
    for (const name of names) {
      for (let round = from; round < Math.min(from + turn, warmUp + rounds); round++) {
        const [ms] = await timed(async () => systems[name](round))
        if (round >= warmUp) times[name].push(ms)
      }
    }
  }
  return times
}

let collect: ((options: { type: 'minor' }) => void) | undefined

/** Collects what was left behind so far, so that it does not count for what is timed next. */
export function settle(): void {
  if (!collect) {
    setFlagsFromString('--expose-gc')
    collect = runInNewContext('gc') as typeof collect
  }
  collect!({ type: 'minor' })
}
