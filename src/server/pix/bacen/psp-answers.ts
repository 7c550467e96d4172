import * as z from "zod/mini";
import { decimalToCents } from "../../../shared/rules/br-code.ts";

/**
 * The parts of the PSP's answers that we read (API Pix 2.9). Everything else is dropped here, above all `devedor` and
 * `pagador`. API Pix may add keys and enumeration members at any time.
 */

const cents = z.pipe(
  z.string().check(z.regex(/^\d{1,10}\.\d{2}$/)),
  z.transform((text: string) => decimalToCents(text) ?? Number.NaN),
);

/** RFC 3339. A PSP that omits the offset means Brasília time. */
const instant = z.pipe(
  z.string().check(z.regex(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?(Z|[+-]\d\d:\d\d)?$/i)),
  z.pipe(
    z.transform((text: string) => new Date(/(Z|[+-]\d\d:\d\d)$/i.test(text) ? text : `${text}-03:00`)),
    z.date(),
  ),
);

/** An optional text. One way to pay is enough, so a missing or unusable field does not invalidate the rest. */
function optionalText(pattern: RegExp) {
  return z.catch(z.optional(z.string().check(z.regex(pattern))), undefined);
}

const location = optionalText(/^(https?:\/\/)?[\x21-\x7e]{1,77}$/);

const devolucaoStatus = z.pipe(
  z.string(),
  // Any other status is not final.
  z.catch(z.enum(["EM_PROCESSAMENTO", "DEVOLVIDO", "NAO_REALIZADO"]), "EM_PROCESSAMENTO"),
);

/** A bound far above the number of returns of one Pix. */
const MAX_DEVOLUCOES = 1_000;

/** `descricao` and `motivo` are dropped, because they are free texts about persons. */
const receivedDevolucaoSchema = z.object({
  id: z.string().check(z.regex(/^[A-Za-z0-9]{1,64}$/)),
  rtrId: optionalText(/^[A-Za-z0-9]{1,64}$/),
  valor: cents,
  natureza: z.catch(z._default(z.string().check(z.regex(/^[A-Z_]{1,40}$/)), "ORIGINAL"), "ORIGINAL"),
  horario: z.catch(
    z.optional(
      z.object({
        solicitacao: z.catch(z.optional(instant), undefined),
        liquidacao: z.catch(z.optional(instant), undefined),
      }),
    ),
    undefined,
  ),
  status: devolucaoStatus,
});
export type ReceivedDevolucaoAnswer = z.infer<typeof receivedDevolucaoSchema>;

export const cobSchema = z.object({
  txid: z.string(),
  // An unknown status counts as open, because `pix` says what was paid.
  status: z.pipe(
    z.string(),
    z.catch(z.enum(["ATIVA", "CONCLUIDA", "REMOVIDA_PELO_USUARIO_RECEBEDOR", "REMOVIDA_PELO_PSP"]), "ATIVA"),
  ),
  chave: z.string(),
  valor: z.object({ original: cents }),
  pixCopiaECola: optionalText(/^[^\p{Cc}]{1,512}$/u),
  location,
  loc: z.catch(z.optional(z.object({ location })), undefined),
  pix: z.optional(
    z.nullable(
      z.array(
        z.object({
          endToEndId: z.string().check(z.regex(/^[A-Za-z0-9]{1,35}$/)),
          valor: cents,
          horario: instant,
          devolucoes: z.optional(
            z.nullable(z.array(receivedDevolucaoSchema).check(z.maxLength(MAX_DEVOLUCOES))),
          ),
        }),
      ),
    ),
  ),
});
export type CobAnswer = z.infer<typeof cobSchema>;

export const devolucaoSchema = z.object({
  id: z.string(),
  valor: cents,
  status: devolucaoStatus,
});

export type DevolucaoAnswer = z.infer<typeof devolucaoSchema>;

export const webhookSchema = z.object({ webhookUrl: z.string() });

/** RFC 6749 §5.1; some PSPs write `expires_in` as text. */
export const tokenSchema = z.object({
  access_token: z.string().check(z.regex(/^[\x21-\x7e]{1,16384}$/)),
  expires_in: z.optional(z.coerce.number().check(z.minimum(0), z.maximum(31_536_000))),
});

/** RFC 6749 §5.2. */
export const tokenErrorSchema = z.object({ error: z.string().check(z.regex(/^[a-z_]{1,40}$/)) });

/** RFC 7807, as API Pix uses it. A PSP's proprietary error has none of these keys. */
export const problemSchema = z.object({
  type: z.catch(z.optional(z.string()), undefined),
  correlationId: z.catch(z.optional(z.string()), undefined),
  violacoes: z.catch(
    z.optional(z.array(z.object({ propriedade: z.catch(z.optional(z.string()), undefined) }))),
    undefined,
  ),
});
