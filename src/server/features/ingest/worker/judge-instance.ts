import type { ByteSource, Instance, SopReference } from "../../../../shared/dicom/reading/instance.ts";
import { MAX_JSON_BYTES } from "../../../../shared/dicom/reading/json-model.ts";
import { instanceWeight, MAX_INSTANCE_WEIGHT_BYTES } from "../../../archive/manifest-weight.ts";
import { readInstance } from "../../../dicom/read-instance.ts";
import { jsonOf } from "./scanned-upload.ts";
import type { SkippedReason } from "./worker-messages.ts";

export type JudgedInstance =
  | { ok: true; instance: Instance; json: Uint8Array }
  | { ok: false; reason: SkippedReason; reference?: SopReference };

/** Reads one file as every way in does; says why it can't be kept. */
export function judgeInstance(source: ByteSource): JudgedInstance {
  const read = readInstance(source);
  if (!read.ok) return read;
  const { instance } = read;
  if (instanceWeight(instance.frames) > MAX_INSTANCE_WEIGHT_BYTES)
    return { ok: false, reason: "instance.too_complex" };
  const json = jsonOf(instance);
  if (json.length > MAX_JSON_BYTES) return { ok: false, reason: "instance.too_complex" };
  return { ok: true, instance, json };
}
