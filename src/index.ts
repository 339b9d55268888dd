export { type AdaptReport, type AdaptToolIndexOptions, adaptToolIndex } from './adapt/adapt-index.js'
export { type CalibrateReport, type CalibrateToolIndexOptions, calibrateToolIndex } from './adapt/calibrate-index.js'
export type { QueryWithNames } from './adapt/labelled-catalog.js'
export { type BuildToolIndexOptions, buildToolIndex } from './artifact/build.js'
export { type OpenToolIndexOptions, openToolIndex } from './artifact/open.js'
export type {
  BuildReport,
  ManifestAdaptation,
  ManifestCalibration,
  ToolIndex,
  VerifyReport,
} from './artifact/tool-index.js'
export { type VerifyToolIndexOptions, verifyToolIndex } from './artifact/verify.js'
export { type AiSdkEmbedderOptions, aiSdkEmbedder } from './embedding/ai-sdk.js'
export type { Embedder, Embedding, EmbedOptions, ReadQuery } from './embedding/embedder.js'
export { type TransformersEmbedderOptions, transformersEmbedder } from './embedding/transformers-js.js'
export { isToolSearchError, ToolSearchError, type ToolSearchErrorCode } from './errors.js'
export type { OnStale, SearchTuning, SemanticToolSearchOptions, ToolSearchFilter } from './options.js'
export { SemanticToolSearchProcessor } from './processor.js'
export type { EvidenceWeights } from './ranking/score.js'
export { createToolSearcher, type ToolSearcher, type ToolSearcherOptions } from './searcher.js'
export type { SearchOptions, SearchResponse } from './searcher-types.js'
export { type VectorIndexAddress, vectorIndexName } from './vector-index-name.js'
export type { VectorStoreOptions } from './vector-store/vector-store.js'
