/** A text file that is imported `with { type: "text" }`. */
declare module "*.md" {
  const text: string;
  export default text;
}
