/** When to compare a form's two passwords: also while other fields are wrong, so that all errors show at once. */
export function hasPasswords({ value }: { value: unknown }): boolean {
  return typeof value === "object" && value !== null && "password" in value && "confirmPassword" in value;
}
