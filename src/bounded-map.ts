/** A map that holds at most `max` entries: the oldest go first. */
export class BoundedMap<Key, Value> {
  readonly #max: number
  readonly #entries = new Map<Key, Value>()

  constructor(max: number) {
    this.#max = max
  }

  getOrMake(key: Key, make: () => Value): Value {
    const known = this.#entries.get(key)
    if (known !== undefined) return known
    const value = make()
    this.#entries.set(key, value)
    if (this.#entries.size > this.#max) this.#entries.delete(this.#entries.keys().next().value as Key)
    return value
  }
}
