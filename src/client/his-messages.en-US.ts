// The build replaces this with the messages that the entry page does not use.
export { messages } from "../../locales/en-US/messages.ts";
