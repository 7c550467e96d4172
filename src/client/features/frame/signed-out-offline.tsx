import { Trans } from "@lingui/react/macro";
import { Brand } from "../../ui/brand.tsx";
import { WifiOffIcon } from "../../ui/icons.tsx";

/** In the place of /his for somebody who is signed out, until the entry page can be loaded. */
export function SignedOutOffline({ productName }: { productName: string }) {
  return (
    <main className="grid gap-6 p-6">
      <Brand productName={productName} />
      <section className="error-card" role="status">
        <WifiOffIcon />
        <div className="min-w-0 flex-1">
          <h1>
            <Trans id="offline.title">No connection</Trans>
          </h1>
          <p>
            <Trans id="offline.signedOut">
              Nobody is logged in here. The login opens by itself once you are connected.
            </Trans>
          </p>
        </div>
      </section>
    </main>
  );
}
