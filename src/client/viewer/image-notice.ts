const NOTICE_ID = "image-notice";

/** Says over the images that one of them can't be shown. */
export function showImageNotice(text: string): void {
  if (document.getElementById(NOTICE_ID)) return;
  const notice = document.createElement("p");
  notice.id = NOTICE_ID;
  notice.setAttribute("role", "status");
  notice.textContent = text;
  document.body.append(notice);
}

export function hideImageNotice(): void {
  document.getElementById(NOTICE_ID)?.remove();
}
