import { join } from "node:path";
import { type ApiClient, adminClient, type Uploaded } from "./api-client.ts";
import { type Corpora, createCorpora } from "./corpora.ts";
import { createLoadGenerator, type LoadGenerator } from "./load.ts";
import { type ReferenceArchive, startReference } from "./reference.ts";
import type { Result } from "./result.ts";
import { type ServerUnderTest, startServerUnderTest } from "./server-under-test.ts";

/** What the measures share: one server, its corpora, and the long series that several of them read. */
export interface BenchRun extends AsyncDisposable {
  /** A folder for what a measure makes. */
  folder: string;
  corpora: Corpora;
  load: LoadGenerator;
  /** Undefined where it is not installed. */
  reference(): Promise<ReferenceArchive | undefined>;
  server(): Promise<ServerUnderTest>;
  admin(): Promise<ApiClient>;
  /** The 1,000 slices, uploaded by the admin and in the archive store. */
  longStudy(): Promise<Uploaded["answer"]["studies"][number]>;
  stopServer(): Promise<void>;
}

export type Measure = (run: BenchRun) => AsyncGenerator<Result>;

export function createBenchRun(folder: string, givenCorpora: string | undefined): BenchRun {
  const corpora = createCorpora(folder, givenCorpora);
  let reference: Promise<ReferenceArchive | undefined> | undefined;
  let server: Promise<ServerUnderTest> | undefined;
  let admin: Promise<ApiClient> | undefined;
  let longStudy: ReturnType<BenchRun["longStudy"]> | undefined;
  const run: BenchRun = {
    folder,
    corpora,
    load: createLoadGenerator(folder),
    reference() {
      reference ??= startReference(folder);
      return reference;
    },
    server() {
      server ??= startServerUnderTest(join(folder, "data"));
      return server;
    },
    admin() {
      admin ??= run.server().then(({ url }) => adminClient(url));
      return admin;
    },
    longStudy() {
      longStudy ??= uploadLongStudy(run);
      return longStudy;
    },
    async stopServer() {
      // A server that did not start has already failed the call that asked for it.
      const running = await server?.catch(() => undefined);
      server = undefined;
      admin = undefined;
      await running?.[Symbol.asyncDispose]();
    },
    async [Symbol.asyncDispose]() {
      await run.stopServer();
      await (await reference?.catch(() => undefined))?.[Symbol.asyncDispose]();
    },
  };
  return run;
}

async function uploadLongStudy(run: BenchRun): ReturnType<BenchRun["longStudy"]> {
  const admin = await run.admin();
  const { answer } = await admin.upload(await run.corpora.stored());
  await admin.settle(answer);
  const [study] = answer.studies;
  if (!study) throw new Error("the corpus holds no study");
  return study;
}
