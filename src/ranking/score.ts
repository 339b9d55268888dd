export const DEFAULT_MIN_SCORE = 0.1 // STUB
