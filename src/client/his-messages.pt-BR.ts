// The build replaces this with the messages that the entry page does not use.
export { messages } from "../../locales/pt-BR/messages.ts";
