import { afterAll, beforeAll, beforeEach, describe, expect, test } from "bun:test";
import { errorTypes } from "../../support/psp/error-types.ts";
import { loadOpenApi } from "../../support/psp/open-api.ts";
import { openPixAtPsp, type PixAtPsp, pixErrorOf } from "../../support/psp/pix-at-psp.ts";
import type { Fault } from "../../support/psp/psp.ts";

const PUT = "PUT /cob/{txid}";
const GET = "GET /cob/{txid}";

describe("what the PSP's errors mean", () => {
  let at: PixAtPsp;
  beforeAll(async () => {
    at = await openPixAtPsp();
  });
  afterAll(() => at[Symbol.asyncDispose]());
  beforeEach(() => at.psp.reset());

  const always = (call: string, fault: Fault) =>
    at.psp.fail(call, ...Array.from({ length: 10 }, () => fault));
  const cases = errorTypes.flatMap(([type, statuses, meaning]) =>
    statuses.map((status) => [type, status, meaning] as const),
  );

  test.each(cases)(
    "%s (%i) on a read means no such charge, or that Pix is unavailable (%s)",
    async (type, status, meaning) => {
      always(GET, { status, type });
      const read = at.pix.readCob(at.pix.newTxid());
      if (meaning === "notFound") expect(await read).toBeUndefined();
      else expect(await pixErrorOf(read)).toMatchObject({ kind: "unavailable", status, code: type });
    },
  );

  test.each(cases)("%s (%i) on a write means %s", async (type, status, meaning) => {
    always(PUT, { status, type });
    const error = await pixErrorOf(at.pix.createCob(at.order()));
    const kind = meaning === "unavailable" ? "unavailable" : "rejected";
    expect(error).toMatchObject({ kind, status, code: type });
  });

  test.each([
    [{ status: 400, type: "ServicoIndisponivel" }, "unavailable"],
    [{ status: 200, json: { erro: "sim" } }, "unavailable"],
    [{ status: 302, headers: { location: "https://127.0.0.1:1/" } }, "unavailable"],
    [{ status: 404, type: "AcessoNegado" }, "rejected"],
    [{ status: 500, type: "CobConsultaInvalida" }, "rejected"],
    [{ status: 429, type: "RequisicaoInvalida" }, "unavailable"],
    [{ status: 418 }, "rejected"],
    [{ status: 501 }, "unavailable"],
    [{ status: 400, json: { type: 7, violacoes: "nenhuma" } }, "rejected"],
    [{ status: 400, page: "<html>Bad Request</html>" }, "rejected"],
  ] as const)("%p is %s, also if status and type disagree or the type is missing", async (fault, kind) => {
    always(PUT, fault);
    expect((await pixErrorOf(at.pix.createCob(at.order()))).kind).toBe(kind);
  });

  test("an identifier for the PSP's support is kept, free text is not", async () => {
    at.psp.fail(GET, { status: 400, json: { correlationId: "7f3a-1", title: "Francisco" } });
    expect((await pixErrorOf(at.pix.readCob("a"))).message).toBe("GET /cob/{txid}: 400 correlationId 7f3a-1");
    const property = "o CPF 123.456.789-09";
    at.psp.fail(GET, {
      status: 400,
      json: { correlationId: property, violacoes: [{ propriedade: property }] },
    });
    expect((await pixErrorOf(at.pix.readCob("a"))).message).toBe("GET /cob/{txid}: 400");
  });

  const openApi = loadOpenApi();
  test.skipIf(!openApi)("the catalogue of these tests is the Central Bank's", () => {
    const catalogue = errorTypes.map(([name, statuses]) => ({ name, statuses }));
    expect(catalogue).toEqual(openApi?.errorTypes ?? []);
  });
});
