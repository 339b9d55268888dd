// Stands in for sharp and onnxruntime-web, which transformers.js imports but text models never call. An object, since
// transformers.js refuses to start where `sharp` is falsy.
export default {}
