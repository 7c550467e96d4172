// The build puts in its place what the entry page does not say.
export { messages } from "../../locales/pt-BR/messages.ts";
