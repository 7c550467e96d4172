import { closeSync, ftruncateSync, openSync, rmSync } from "node:fs";
import { join } from "node:path";
import { crc32 } from "node:zlib";
import { writeFully } from "../../../archive/file-window.ts";
import { fileSource } from "../../../dicom/byte-source.ts";
import type { AnnouncedInstance, InstanceSink, StoreResult } from "../../../dimse/association.ts";
import { Status } from "../../../dimse/command-set.ts";
import { encodeFileMeta, type FileMeta } from "../../../dimse/file-meta.ts";
import { judgeInstance } from "../../ingest/worker/judge-instance.ts";
import type { ArrivedInstance } from "./dimse-messages.ts";

/** A file into which the instances of one association are written, one after the other. */
export class InstanceFile implements Disposable {
  readonly #fd: number;
  readonly #path: string;

  constructor(
    folder: string,
    readonly name: string,
  ) {
    this.#path = join(folder, name);
    this.#fd = openSync(this.#path, "wx+", 0o600);
  }

  begin(meta: FileMeta, options: SinkOptions): InstanceSink {
    ftruncateSync(this.#fd, 0);
    return new ArrivingInstance(this.#fd, this.name, meta, options);
  }

  [Symbol.dispose](): void {
    closeSync(this.#fd);
    rmSync(this.#path, { force: true });
  }
}

/** An instance is written so far without asking: all connections together take less than the disk's spare. */
const UNASKED_BYTES = 1024 * 1024;
const RESERVED_AT_ONCE_BYTES = 16 * 1024 * 1024;

interface SinkOptions {
  maxBytes: number;
  /** Whether the disk has room for so many more bytes. */
  reserve(bytes: number): Promise<boolean>;
  store(instance: Omit<ArrivedInstance, "association">): Promise<StoreResult>;
}

const TOO_LARGE: StoreResult = { status: Status.outOfResources, comment: "instance too large" };
const NO_ROOM: StoreResult = { status: Status.outOfResources, comment: "storage is full" };

class ArrivingInstance implements InstanceSink {
  #sizeBytes = 0;
  #roomBytes = UNASKED_BYTES;
  #crc32 = 0;
  /** Why the rest is dropped. */
  #failure: StoreResult | undefined;

  constructor(
    private readonly fd: number,
    private readonly file: string,
    private readonly announced: AnnouncedInstance & FileMeta,
    private readonly options: SinkOptions,
  ) {
    this.#append(encodeFileMeta(announced));
  }

  async write(bytes: Buffer): Promise<void> {
    const isRoom = this.#failure !== undefined || this.#sizeBytes + bytes.length <= this.#roomBytes;
    if (!isRoom && (await this.options.reserve(RESERVED_AT_ONCE_BYTES)))
      this.#roomBytes += RESERVED_AT_ONCE_BYTES;
    else if (!isRoom) this.#failure = NO_ROOM;
    this.#append(bytes);
  }

  async finish(): Promise<StoreResult> {
    if (this.#failure) return this.#failure;
    const judged = judgeInstance(fileSource(this.fd, 0, this.#sizeBytes));
    if (!judged.ok) return { status: Status.cannotUnderstand, comment: judged.reason };
    const { sopInstanceUID, sopClassUID, studyInstanceUID } = judged.instance;
    if (sopInstanceUID !== this.announced.sopInstanceUID || sopClassUID !== this.announced.sopClassUID)
      return { status: Status.dataSetDoesNotMatch, comment: "SOP class or instance differs" };
    const { file } = this;
    return await this.options.store({
      file,
      sizeBytes: this.#sizeBytes,
      crc32: this.#crc32,
      studyInstanceUID,
    });
  }

  #append(bytes: Buffer): void {
    if (this.#failure) return;
    if (this.#sizeBytes + bytes.length > this.options.maxBytes) {
      this.#failure = TOO_LARGE;
      return;
    }
    try {
      writeFully(this.fd, bytes, this.#sizeBytes);
    } catch {
      this.#failure = NO_ROOM;
      return;
    }
    this.#sizeBytes += bytes.length;
    this.#crc32 = crc32(bytes, this.#crc32);
  }
}
