/** How long `work` takes, in ms, and what it gives. */
export async function timed<T>(work: () => T | Promise<T>): Promise<[ms: number, value: T]> {
  const start = performance.now()
  const value = await work()
  return [performance.now() - start, value]
}

/** Times of each system, in turns, so that other work on the machine slows all of them; the first rounds don't count. */
export async function inTurns<Name extends string>(
  systems: Readonly<Record<Name, (round: number) => unknown>>,
  { rounds, warmUp = 1 }: { rounds: number; warmUp?: number },
): Promise<Record<Name, number[]>> {
  const names = Object.keys(systems) as Name[]
  const times = Object.fromEntries(names.map(name => [name, [] as number[]])) as Record<Name, number[]>
  for (let round = 0; round < warmUp + rounds; round++) {
    for (const name of names) {
      const [ms] = await timed(async () => systems[name](round))
      if (round >= warmUp) times[name].push(ms)
    }
  }
  return times
}
