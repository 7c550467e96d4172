import { randomBytes } from "node:crypto";
import { checksum, writeFields } from "./read-br-code.ts";

export interface BankedPix {
  endToEndId: string;
  cents: number;
  at: Date;
  devolucoes: Map<string, BankedDevolucao>;
}

export interface BankedDevolucao {
  id: string;
  cents: number;
  status: "EM_PROCESSAMENTO" | "DEVOLVIDO" | "NAO_REALIZADO";
  askedAt: Date;
  rtrId: string;
  /** ORIGINAL unless told otherwise. */
  natureza?: BankedNatureza;
  settledAt?: Date;
}

export type BankedNatureza =
  | "ORIGINAL"
  | "RETIRADA"
  | "MED_OPERACIONAL"
  | "MED_FRAUDE"
  | "MED_PIX_AUTOMATICO";

export interface BankedCob {
  txid: string;
  cents: number;
  expiracao: number;
  criacao: Date;
  status: "ATIVA" | "CONCLUIDA" | "REMOVIDA_PELO_USUARIO_RECEBEDOR" | "REMOVIDA_PELO_PSP";
  solicitacaoPagador: string | undefined;
  pix: BankedPix[];
}

export interface BankCall {
  method: string;
  /** Path of the OpenAPI file, such as `/cob/{txid}`. */
  route: string;
  parameters: Record<string, string>;
  body: unknown;
}

export interface BankAnswer {
  status: number;
  type: "application/json" | "application/problem+json";
  body?: unknown;
}

/** How PSPs differ within the standard. */
export interface BankManners {
  /** The answer to the same PUT the second time. */
  repeated: "same" | 400 | 409 | 422;
  /** Whether a charge has its `pixCopiaECola`, or its `location` only. */
  sendsBrCode: boolean;
}

export interface Bank {
  manners: BankManners;
  cobs: Map<string, BankedCob>;
  webhookUrl: string | undefined;
  handle(call: BankCall): BankAnswer;
  pix(pix: BankedPix, txid: string): object;
  findPix(endToEndId: string): BankedPix | undefined;
}

/** Personal data in every answer: a PSP names debtors and payers. */
export const PAYER = { cpf: "12345678909", nome: "Francisco da Silva" };
export const DEBTOR = { cnpj: "11222333000181", nome: "Padaria do Francisco" };

/** The records of a PSP with one customer, who receives on `chave`. */
export function createBank(chave: string, now: () => Date): Bank {
  const bank: Bank = {
    manners: { repeated: "same", sendsBrCode: true },
    cobs: new Map(),
    webhookUrl: undefined,
    handle({ method, route, parameters, body }) {
      const { txid = "", e2eid = "", id = "" } = parameters;
      switch (`${method} ${route}`) {
        case "PUT /cob/{txid}":
          return putCob(txid, body);
        case "GET /cob/{txid}": {
          const cob = bank.cobs.get(txid);
          return cob
            ? { status: 200, type: "application/json", body: cobBody(cob) }
            : problem(404, "NaoEncontrado");
        }
        case "PUT /pix/{e2eid}/devolucao/{id}":
          return putDevolucao(e2eid, id, body);
        case "GET /pix/{e2eid}/devolucao/{id}": {
          const devolucao = bank.findPix(e2eid)?.devolucoes.get(id);
          if (!devolucao) return problem(404, "PixDevolucaoNaoEncontrada");
          return { status: 200, type: "application/json", body: devolucaoBody(devolucao) };
        }
        case "PUT /webhook/{chave}":
          return putWebhook(parameters.chave, body);
        case "GET /webhook/{chave}": {
          const { webhookUrl } = bank;
          if (parameters.chave !== chave || !webhookUrl) return problem(404, "WebhookNaoEncontrado");
          const criacao = now().toISOString();
          return {
            status: 200,
            type: "application/json",
            body: { webhookUrl, cnpj: "12345678000195", chave, criacao },
          };
        }
        default:
          return problem(404, "NaoEncontrado");
      }
    },
    pix: pixBody,
    findPix: (endToEndId) =>
      [...bank.cobs.values()].flatMap(({ pix }) => pix).find((pix) => pix.endToEndId === endToEndId),
  };

  function putCob(txid: string, body: unknown): BankAnswer {
    const { calendario, valor, chave: named, solicitacaoPagador } = body as Record<string, never>;
    const cents = centsOf((valor as { original?: unknown } | undefined)?.original);
    const expiracao: unknown = (calendario as { expiracao?: unknown } | undefined)?.expiracao;
    const wrong = [
      !/^[a-zA-Z0-9]{26,35}$/.test(txid) && "cob.txid",
      !cents && "cob.valor.original",
      !(typeof expiracao === "number" && expiracao > 0) && "cob.calendario.expiracao",
      named !== chave && "cob.chave",
      String(solicitacaoPagador ?? "").length > 140 && "cob.solicitacaoPagador",
    ].filter((property) => property !== false);
    if (wrong.length > 0 || !cents) return problem(400, "CobOperacaoInvalida", wrong);
    const present = bank.cobs.get(txid);
    const { repeated } = bank.manners;
    if (present && (present.status !== "ATIVA" || present.cents !== cents || repeated !== "same"))
      return problem(repeated === "same" ? 400 : repeated, "CobOperacaoInvalida", ["cob.txid"]);
    const cob: BankedCob = present ?? {
      ...{
        txid,
        cents,
        expiracao: Number(expiracao),
        criacao: now(),
        status: "ATIVA",
        solicitacaoPagador,
        pix: [],
      },
    };
    bank.cobs.set(txid, cob);
    return { status: 201, type: "application/json", body: cobBody(cob) };
  }

  function putDevolucao(endToEndId: string, id: string, body: unknown): BankAnswer {
    const pix = bank.findPix(endToEndId);
    if (!pix) return problem(404, "PixNaoEncontrado");
    const cents = centsOf((body as { valor?: unknown }).valor);
    const isKnown = pix.devolucoes.has(id);
    const left =
      pix.cents - sum([...pix.devolucoes.values()].filter(({ status }) => status !== "NAO_REALIZADO"));
    // API Pix: an id that was used already is an invalid request, even for the same refund.
    if (!/^[a-zA-Z0-9]{1,35}$/.test(id) || !cents || isKnown || cents > left) {
      return problem(bank.manners.repeated === "same" ? 400 : bank.manners.repeated, "PixDevolucaoInvalida");
    }
    const devolucao: BankedDevolucao = {
      ...{
        id,
        cents,
        status: "EM_PROCESSAMENTO",
        askedAt: now(),
        rtrId: `D${randomBytes(16).toString("hex").slice(1)}`,
      },
    };
    pix.devolucoes.set(id, devolucao);
    return { status: 201, type: "application/json", body: devolucaoBody(devolucao) };
  }

  function putWebhook(named: string | undefined, body: unknown): BankAnswer {
    const { webhookUrl } = body as { webhookUrl?: unknown };
    const isGood = named === chave && typeof webhookUrl === "string" && URL.canParse(webhookUrl);
    if (!isGood) return problem(400, "WebhookOperacaoInvalida");
    bank.webhookUrl = webhookUrl;
    return { status: 200, type: "application/json" };
  }

  function cobBody(cob: BankedCob): object {
    const location = `pix.example.com/qr/v2/${cob.txid}`;
    const criacao = cob.criacao.toISOString();
    return {
      calendario: { criacao, expiracao: cob.expiracao },
      txid: cob.txid,
      revisao: 0,
      loc: { id: 789, txid: cob.txid, location, tipoCob: "cob", criacao },
      location,
      status: cob.status,
      devedor: DEBTOR,
      valor: { original: decimalOf(cob.cents), modalidadeAlteracao: 0 },
      chave,
      solicitacaoPagador: cob.solicitacaoPagador,
      ...(bank.manners.sendsBrCode && { pixCopiaECola: brCodeOf(location) }),
      ...(cob.pix.length > 0 && { pix: cob.pix.map((pix) => pixBody(pix, cob.txid)) }),
      // API Pix may grow keys at any time.
      aindaDesconhecido: { pessoa: PAYER },
    };
  }

  return bank;
}

function pixBody({ endToEndId, cents, at, devolucoes }: BankedPix, txid: string): object {
  return {
    ...{ endToEndId, txid, valor: decimalOf(cents), horario: at.toISOString() },
    infoPagador: `de ${PAYER.nome}`,
    pagador: PAYER,
    ...(devolucoes.size > 0 && { devolucoes: [...devolucoes.values()].map(devolucaoBody) }),
  };
}

function devolucaoBody(devolucao: BankedDevolucao): object {
  const { id, cents, status, askedAt, rtrId, natureza = "ORIGINAL", settledAt } = devolucao;
  const horario = {
    solicitacao: askedAt.toISOString(),
    ...(settledAt && { liquidacao: settledAt.toISOString() }),
  };
  const motivo = `pedido de ${PAYER.nome}`;
  return { id, rtrId, valor: decimalOf(cents), natureza, horario, status, descricao: motivo, motivo };
}

export function problem(status: number, type: string, properties: string[] = []): BankAnswer {
  return {
    status,
    type: "application/problem+json",
    body: {
      type: `https://pix.bcb.gov.br/api/v2/error/${type}`,
      title: type,
      status,
      detail: `${type}, pedido de ${PAYER.nome}`,
      correlationId: "c0ffee-1",
      violacoes: properties.map((propriedade) => ({
        razao: `${propriedade} de ${PAYER.nome}`,
        propriedade,
        valor: PAYER.cpf,
      })),
    },
  };
}

function brCodeOf(location: string): string {
  const account = writeFields([
    ["00", "br.gov.bcb.pix"],
    ["25", location],
  ]);
  const fields = writeFields([
    ["00", "01"],
    ["01", "12"],
    ["26", account],
    ["52", "0000"],
    ["53", "986"],
    ["58", "BR"],
    ["59", "Fulano de Tal"],
    ["60", "BRASILIA"],
    ["62", writeFields([["05", "***"]])],
  ]);
  return `${fields}6304${checksum(`${fields}6304`)}`;
}

function centsOf(decimal: unknown): number | undefined {
  return typeof decimal === "string" && /^\d{1,10}\.\d\d$/.test(decimal)
    ? Number(decimal.replace(".", ""))
    : undefined;
}

function decimalOf(cents: number): string {
  const digits = String(cents).padStart(3, "0");
  return `${digits.slice(0, -2)}.${digits.slice(-2)}`;
}

function sum(amounts: { cents: number }[]): number {
  return amounts.reduce((total, { cents }) => total + cents, 0);
}
