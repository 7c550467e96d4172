const NOTICE_ID = "image-notice";

/** Says over the images why one of them is not shown. */
export function showImageNotice(text: string): void {
  const notice = document.getElementById(NOTICE_ID) ?? document.body.appendChild(createNotice());
  if (notice.textContent !== text) notice.textContent = text;
}

function createNotice(): HTMLElement {
  const notice = document.createElement("p");
  notice.id = NOTICE_ID;
  notice.setAttribute("role", "status");
  return notice;
}

export function hideImageNotice(): void {
  document.getElementById(NOTICE_ID)?.remove();
}
