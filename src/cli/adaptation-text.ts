import type { ManifestAdaptation } from '../artifact/tool-index.js'
import { signed } from '../show.js'
import { whole } from './terminal.js'

/** Such as "Adapted to 500 queries of 162 tools: nDCG@10 +0.084 (+0.071 to +0.097)". */
export function adaptationText({ queries, tools, gain }: ManifestAdaptation): string {
  const range = `${signed(gain.low)} to ${signed(gain.high)}`
  return `Adapted to ${whole(queries)} queries of ${whole(tools)} tools: nDCG@10 ${signed(gain.value)} (${range})`
}
