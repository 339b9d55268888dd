/** Seed of all drawing, so that the same queries give the same report. */
export const DEFAULT_SEED = 1

/** Numbers from 0 up to, not including, 1: mulberry32 (Tommy Ettinger, public domain). */
export function seededRandom(seed: number): () => number {
  let state = seed >>> 0
  return () => {
    state = (state + 0x6d2b79f5) >>> 0
    let mixed = state
    mixed = Math.imul(mixed ^ (mixed >>> 15), mixed | 1)
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61)
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296
  }
}

/** The items in a drawn order (Fisher and Yates). */
export function shuffled<Item>(items: readonly Item[], random: () => number): Item[] {
  const drawn = [...items]
  for (let at = drawn.length - 1; at > 0; at--) {
    const other = Math.floor(random() * (at + 1))
    ;[drawn[at], drawn[other]] = [drawn[other]!, drawn[at]!]
  }
  return drawn
}

/** One of the items. */
export const pick = <Item>(items: readonly Item[], random: () => number): Item =>
  items[Math.floor(random() * items.length)]!
