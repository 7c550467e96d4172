import { closeSync, ftruncateSync, openSync, rmSync } from "node:fs";
import { join } from "node:path";
import { crc32 } from "node:zlib";
import { isDeflatedDataSet } from "../../../../shared/dicom/transfer-syntax.ts";
import { writeFully } from "../../../archive/file-window.ts";
import { boundedSource, fileSource, ReadsTooMuch } from "../../../dicom/byte-source.ts";
import type { AnnouncedInstance, InstanceSink, StoreResult } from "../../../dimse/association.ts";
import { Status } from "../../../dimse/command-set.ts";
import { encodeFileMeta, type FileMeta } from "../../../dimse/file-meta.ts";
import type { ArrivedInstance, JudgedFile } from "./dimse-messages.ts";
import { judgeFile, type Verdict } from "./judge-file.ts";

/** Fragments are written together up to this size, since each may have a single byte. */
const WRITTEN_AT_ONCE_BYTES = 64 * 1024;

/** A file into which the instances of one association are written, one after the other. */
export class InstanceFile implements Disposable {
  readonly #fd: number;
  readonly #path: string;
  readonly #unwritten = Buffer.allocUnsafe(WRITTEN_AT_ONCE_BYTES);

  constructor(
    folder: string,
    readonly name: string,
  ) {
    this.#path = join(folder, name);
    this.#fd = openSync(this.#path, "wx+", 0o600);
  }

  begin(meta: FileMeta, options: SinkOptions): InstanceSink {
    ftruncateSync(this.#fd, 0);
    return new ArrivingInstance({ fd: this.#fd, name: this.name, unwritten: this.#unwritten }, meta, options);
  }

  [Symbol.dispose](): void {
    closeSync(this.#fd);
    rmSync(this.#path, { force: true });
  }
}

/** An instance is written so far without asking: all connections together take less than the disk's spare. */
const UNASKED_BYTES = 1024 * 1024;
const RESERVED_AT_ONCE_BYTES = 16 * 1024 * 1024;
/** What is read here to judge an instance, which takes less than 100 ms. */
const JUDGED_HERE_BYTES = 1024 * 1024;

interface SinkOptions {
  maxBytes: number;
  /** Whether the disk has room for so many more bytes. */
  reserve(bytes: number): Promise<boolean>;
  /** Judges a file that is much work. */
  judge(file: JudgedFile): Promise<Verdict>;
  store(instance: Omit<ArrivedInstance, "association">): Promise<StoreResult>;
}

const TOO_LARGE: StoreResult = { status: Status.outOfResources, comment: "instance too large" };
const NO_ROOM: StoreResult = { status: Status.outOfResources, comment: "storage is full" };

class ArrivingInstance implements InstanceSink {
  /** With what is not written yet. */
  #sizeBytes = 0;
  #writtenBytes = 0;
  #roomBytes = UNASKED_BYTES;
  #crc32 = 0;
  /** Why the rest is dropped. */
  #failure: StoreResult | undefined;

  constructor(
    private readonly file: { fd: number; name: string; unwritten: Buffer },
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
    this.#flush();
    if (this.#failure) return this.#failure;
    const verdict = await this.#judge();
    if (!verdict.ok) return { status: Status.cannotUnderstand, comment: verdict.reason };
    const { sopInstanceUID, sopClassUID, studyInstanceUID, seriesInstanceUID } = verdict;
    if (sopInstanceUID !== this.announced.sopInstanceUID || sopClassUID !== this.announced.sopClassUID)
      return { status: Status.dataSetDoesNotMatch, comment: "SOP class or instance differs" };
    return await this.options.store({
      file: this.file.name,
      sizeBytes: this.#sizeBytes,
      crc32: this.#crc32,
      studyInstanceUID,
      seriesInstanceUID,
      sopInstanceUID,
      transferSyntaxUID: this.announced.transferSyntaxUID,
    });
  }

  /** Reads the file here, unless that would keep the other associations waiting. */
  async #judge(): Promise<Verdict> {
    if (!isDeflatedDataSet(this.announced.transferSyntaxUID)) {
      const source = fileSource(this.file.fd, 0, this.#sizeBytes);
      try {
        return judgeFile(boundedSource(source, JUDGED_HERE_BYTES));
      } catch (error) {
        if (!(error instanceof ReadsTooMuch)) throw error;
      }
    }
    return await this.options.judge({ file: this.file.name, sizeBytes: this.#sizeBytes });
  }

  #append(bytes: Buffer): void {
    if (this.#failure) return;
    if (this.#sizeBytes + bytes.length > this.options.maxBytes) {
      this.#failure = TOO_LARGE;
      return;
    }
    if (this.#sizeBytes - this.#writtenBytes + bytes.length > WRITTEN_AT_ONCE_BYTES) this.#flush();
    if (bytes.length > WRITTEN_AT_ONCE_BYTES) this.#write(bytes);
    else bytes.copy(this.file.unwritten, this.#sizeBytes - this.#writtenBytes);
    this.#sizeBytes += bytes.length;
  }

  #flush(): void {
    this.#write(this.file.unwritten.subarray(0, this.#sizeBytes - this.#writtenBytes));
  }

  #write(bytes: Buffer): void {
    if (this.#failure || bytes.length === 0) return;
    try {
      writeFully(this.file.fd, bytes, this.#writtenBytes);
    } catch {
      this.#failure = NO_ROOM;
      return;
    }
    this.#writtenBytes += bytes.length;
    this.#crc32 = crc32(bytes, this.#crc32);
  }
}
