import factory from "@cornerstonejs/codec-openjpeg/decodewasmjs";
import { serveDecoding } from "./serve-decoding.ts";

serveDecoding(factory);
