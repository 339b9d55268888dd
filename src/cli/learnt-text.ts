import type { ManifestAdaptation, ManifestCalibration, ToolIndexManifest } from '../artifact/tool-index.js'
import { signed } from '../show.js'
import { whole } from './terminal.js'

/** Such as "Adapted to 500 queries of 162 tools: nDCG@10 +0.084 (+0.071 to +0.097)". */
export function adaptationText({ queries, tools, gain }: ManifestAdaptation): string {
  const range = `${signed(gain.low)} to ${signed(gain.high)}`
  return `Adapted to ${whole(queries)} queries of ${whole(tools)} tools: nDCG@10 ${signed(gain.value)} (${range})`
}

/** Such as "Scores calibrated by 500 queries: error 0.38 to 0.02 on held-out ones". */
export function calibrationText({ queries, before, after }: ManifestCalibration): string {
  return `Scores calibrated by ${whole(queries)} queries: error ${before.toFixed(2)} to ${after.toFixed(2)} on held-out ones`
}

/** What an index has learnt from queries. */
export type Learnt = Pick<ToolIndexManifest, 'adaptation' | 'calibration'>

/** A line for each thing learnt. */
export function learntTexts({ adaptation, calibration }: Learnt): string[] {
  return [...(adaptation ? [adaptationText(adaptation)] : []), ...(calibration ? [calibrationText(calibration)] : [])]
}
