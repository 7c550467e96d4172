/** The codecs' modules have no types of their own: each is a factory of an Emscripten module with one decoder class. */
declare module "@cornerstonejs/codec-openjpeg/decodewasmjs" {
  const load: import("./wasm-codec.ts").CodecFactory;
  export default load;
}
declare module "@cornerstonejs/codec-charls/decodewasmjs" {
  const load: import("./wasm-codec.ts").CodecFactory;
  export default load;
}
declare module "@cornerstonejs/codec-libjpeg-turbo-8bit/decodewasmjs" {
  const load: import("./wasm-codec.ts").CodecFactory;
  export default load;
}
declare module "@cornerstonejs/codec-openjph/wasmjs" {
  const load: import("./wasm-codec.ts").CodecFactory;
  export default load;
}
declare module "@cornerstonejs/*wasm" {
  const path: string;
  export default path;
}
