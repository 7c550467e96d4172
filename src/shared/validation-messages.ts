/** Texts of the validation rules. A rule's message is a key of this object; the text is looked up where it is shown. */
export const validationMessages = {
  "validation.required": /*i18n*/ { id: "validation.required", message: "This field is required" },
  "validation.invalidEmail": /*i18n*/ { id: "validation.invalidEmail", message: "Invalid email address" },
  "validation.passwordRequired": /*i18n*/ {
    id: "validation.passwordRequired",
    message: "Enter your password",
  },
  "validation.nameMin": /*i18n*/ {
    id: "validation.nameMin",
    message: "The name must have at least 3 characters",
  },
  "validation.cpfCnpjLength": /*i18n*/ {
    id: "validation.cpfCnpjLength",
    message: "CPF must have 11 digits or CNPJ must have 14 digits",
  },
  "validation.cpfCnpjInvalid": /*i18n*/ { id: "validation.cpfCnpjInvalid", message: "Invalid CPF or CNPJ" },
  "validation.passwordMin": /*i18n*/ {
    id: "validation.passwordMin",
    message: "The password must have at least 6 characters",
  },
  "validation.passwordsDoNotMatch": /*i18n*/ {
    id: "validation.passwordsDoNotMatch",
    message: "The passwords do not match",
  },
  "validation.codeDigits": /*i18n*/ { id: "validation.codeDigits", message: "The code has 6 digits" },
  "validation.tokenRequired": /*i18n*/ { id: "validation.tokenRequired", message: "Enter the token" },
  "validation.confirmPasswordRequired": /*i18n*/ {
    id: "validation.confirmPasswordRequired",
    message: "Confirm the password",
  },
  "validation.passwordChangeInvalid": /*i18n*/ {
    id: "validation.passwordChangeInvalid",
    message: "To change the password, fill in the current and the new one",
  },
  "validation.emailChangePassword": /*i18n*/ {
    id: "validation.emailChangePassword",
    message: "To change the e-mail, enter your current password",
  },
  "support.subjectRequired": /*i18n*/ { id: "support.subjectRequired", message: "Enter the subject" },
  "support.messageRequired": /*i18n*/ { id: "support.messageRequired", message: "Enter the message" },
  "support.invalidImageFormat": /*i18n*/ {
    id: "support.invalidImageFormat",
    message: "Invalid image format. Use JPG, PNG or GIF",
  },
  "support.imageTooLarge": /*i18n*/ {
    id: "support.imageTooLarge",
    message: "Image too large. Maximum size: 5MB",
  },
  "validation.tooLong": /*i18n*/ { id: "validation.tooLong", message: "This text is too long" },
  "validation.repeated": /*i18n*/ { id: "validation.repeated", message: "Give only one value" },
  "validation.invalid": /*i18n*/ { id: "validation.invalid", message: "This value is not valid" },
} as const;

export type ValidationMessage = keyof typeof validationMessages;

export function isValidationMessage(text: string): text is ValidationMessage {
  return Object.hasOwn(validationMessages, text);
}
