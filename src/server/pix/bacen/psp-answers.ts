import * as z from "zod/mini";
import { decimalToCents } from "../../../shared/rules/br-code.ts";

/**
 * What is read of the PSP's answers (API Pix 2.9); everything else in them is dropped here, `devedor` and `pagador`
 * before all. API Pix may add keys and members of enumerations at any time.
 */

const cents = z.pipe(
  z.string().check(z.regex(/^\d{1,10}\.\d{2}$/)),
  z.transform((text: string) => decimalToCents(text) ?? Number.NaN),
);

/** RFC 3339; a PSP that leaves the offset out means Brasília. */
const instant = z.pipe(
  z.string().check(z.regex(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?(Z|[+-]\d\d:\d\d)?$/i)),
  z.pipe(
    z.transform((text: string) => new Date(/(Z|[+-]\d\d:\d\d)$/i.test(text) ? text : `${text}-03:00`)),
    z.date(),
  ),
);

/** One way to pay is enough: what is missing or can't be used doesn't spoil the rest. */
function usable(pattern: RegExp) {
  return z.catch(z.optional(z.string().check(z.regex(pattern))), undefined);
}

const location = usable(/^(https?:\/\/)?[\x21-\x7e]{1,77}$/);

const devolucaoStatus = z.pipe(
  z.string(),
  // Any other status is none of the final ones.
  z.catch(z.enum(["EM_PROCESSAMENTO", "DEVOLVIDO", "NAO_REALIZADO"]), "EM_PROCESSAMENTO"),
);

/** Far above what the parts of one Pix come to. */
const MAX_DEVOLUCOES = 1_000;

/** Its `descricao` and `motivo` are free texts about persons: they are dropped. */
const receivedDevolucaoSchema = z.object({
  id: z.string().check(z.regex(/^[A-Za-z0-9]{1,64}$/)),
  rtrId: usable(/^[A-Za-z0-9]{1,64}$/),
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
  // A status of a later version is taken as open: what was paid stands in `pix`.
  status: z.pipe(
    z.string(),
    z.catch(z.enum(["ATIVA", "CONCLUIDA", "REMOVIDA_PELO_USUARIO_RECEBEDOR", "REMOVIDA_PELO_PSP"]), "ATIVA"),
  ),
  chave: z.string(),
  valor: z.object({ original: cents }),
  pixCopiaECola: usable(/^[^\p{Cc}]{1,512}$/u),
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

/** RFC 7807, as API Pix uses it; a PSP's own kind of error has none of it. */
export const problemSchema = z.object({
  type: z.catch(z.optional(z.string()), undefined),
  correlationId: z.catch(z.optional(z.string()), undefined),
  violacoes: z.catch(
    z.optional(z.array(z.object({ propriedade: z.catch(z.optional(z.string()), undefined) }))),
    undefined,
  ),
});
