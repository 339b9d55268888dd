/** What is warned of, each at most once a processor or searcher, however its messages differ. */
export type WarningTopic = 'embeddings' | 'hnsw' | 'search' | 'index' | 'adaptation' | 'stale' | 'store' | 'store-sync'

export type Warn = (topic: WarningTopic, message: string) => void

/** Passes on the first warning of each topic. */
export function warnOnce(log: (message: string) => void): Warn {
  const warned = new Set<WarningTopic>()
  return (topic, message) => {
    if (warned.has(topic)) return
    warned.add(topic)
    try {
      log(message)
    } catch {
      // A logger that fails is no reason to fail the search.
    }
  }
}
