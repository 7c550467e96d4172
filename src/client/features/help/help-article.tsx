import { Trans } from "@lingui/react/macro";

/** What a DICOM ZIP is, and how to come by one. */
export function HelpArticle() {
  return (
    <div className="help">
      <p className="help-lead">
        <Trans id="help.lead">
          To keep an exam here you need its images as the machine made them. They come as a ZIP or as a
          folder.
        </Trans>
      </p>
      <section aria-labelledby="help-what">
        <h2 id="help-what">
          <Trans id="help.what.title">What is a DICOM ZIP?</Trans>
        </h2>
        <p>
          <Trans id="help.what.text">
            The images of an exam are DICOM files: one for each slice, sometimes hundreds. A ZIP is a single
            file that holds all of them in their original quality. Photos of the screen, PDFs and JPGs are
            something else: they lose the measurements and the shades of gray that a doctor needs.
          </Trans>
        </p>
      </section>
      <section aria-labelledby="help-disc">
        <h2 id="help-disc">
          <Trans id="help.disc.title">From a CD or DVD</Trans>
        </h2>
        <ol>
          <li>
            <Trans id="help.disc.insert">
              Put the disc into a computer with a drive. You do not need the viewer that comes on the disc.
            </Trans>
          </li>
          <li>
            <Trans id="help.disc.folder">
              In “Upload exams”, press “Choose folder” and pick the disc. What is not an image is left out.
            </Trans>
          </li>
          <li>
            <Trans id="help.disc.zip">
              Or make a ZIP first: on Windows, right-click the copied folder and choose “Compress to ZIP
              file”; on a Mac, “Compress”.
            </Trans>
          </li>
        </ol>
        <p className="help-hint">
          <Trans id="help.disc.noDrive">
            No drive? An external one works with any computer, and the clinic can usually send a link instead.
          </Trans>
        </p>
      </section>
      <section aria-labelledby="help-phone">
        <h2 id="help-phone">
          <Trans id="help.phone.title">On a phone</Trans>
        </h2>
        <ol>
          <li>
            <Trans id="help.phone.save">
              Save the ZIP on the phone: from the clinic's link or from the message, “Download” or “Save to
              Files”. Do not unpack it.
            </Trans>
          </li>
          <li>
            <Trans id="help.phone.pick">
              Here, press “Upload”, then “Choose ZIPs”. It is in “Downloads” on Android and in the “Files” app
              on an iPhone.
            </Trans>
          </li>
          <li>
            <Trans id="help.phone.send">
              Check what is inside and send. If the connection drops, the upload goes on where it stopped.
            </Trans>
          </li>
        </ol>
      </section>
      <section aria-labelledby="help-clinic">
        <h2 id="help-clinic">
          <Trans id="help.clinic.title">From the clinic or hospital</Trans>
        </h2>
        <p>
          <Trans id="help.clinic.ask">
            Ask for “the images in DICOM, in a ZIP or by a link, besides the report”. Many clinics have a
            website where the exam can be downloaded: look for “Download images” or “DICOM”.
          </Trans>
        </p>
        <p>
          <Trans id="help.clinic.right">
            Having a copy of your health data is your right (LGPD, article 18).
          </Trans>
        </p>
      </section>
      <section aria-labelledby="help-trouble">
        <h2 id="help-trouble">
          <Trans id="help.trouble.title">If it does not work</Trans>
        </h2>
        <ul>
          <li>
            <Trans id="help.trouble.password">A ZIP with a password: unpack it and send the folder.</Trans>
          </li>
          <li>
            <Trans id="help.trouble.program">
              Only a program (.exe) came: ask the clinic for the DICOM files.
            </Trans>
          </li>
          <li>
            <Trans id="help.trouble.rar">A RAR or 7z file: unpack it and send the folder.</Trans>
          </li>
        </ul>
      </section>
    </div>
  );
}
