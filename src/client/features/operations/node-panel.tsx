import { Trans, useLingui } from "@lingui/react/macro";
import type { OperatedNode } from "../../../shared/api/operations.ts";
import { Meter } from "../../ui/meter.tsx";
import { limitText } from "../../ui/text/limit-text.ts";
import { momentText } from "../../ui/text/moment-text.ts";
import { HomePanel } from "../home/home-panel.tsx";
import type { useOperations } from "./use-operations.ts";

/** Each node: whether it lives, what it runs, and its disk. */
export function NodePanel({ query }: { query: ReturnType<typeof useOperations> }) {
  const inNeed = query.data && nodesInNeed(query.data.nodes);
  return (
    <HomePanel
      title={<Trans id="home.nodes">Servers and disks</Trans>}
      count={inNeed || undefined}
      query={query}
    >
      {({ nodes }) => (
        <ul>
          {nodes.map((node) => (
            <li key={node.id} className="home-node">
              <NodeHead node={node} />
              {node.disk && <NodeDisk disk={node.disk} />}
              {node.state === "up" && <StoreRefusal why={node.storeRefusal} />}
            </li>
          ))}
        </ul>
      )}
    </HomePanel>
  );
}

/** How many nodes need a person. */
export function nodesInNeed(nodes: readonly OperatedNode[]): number {
  return nodes.filter(isInNeed).length;
}

/** A node that others have replaced needs nobody. */
function isInNeed({ state, disk, storeRefusal }: OperatedNode): boolean {
  if (state !== "up") return state === "silent";
  return storeRefusal !== null || (disk !== null && disk.state !== "ok");
}

function NodeHead({ node }: { node: OperatedNode }) {
  const name = node.id.slice(-6);
  return (
    <p className="home-node-head">
      <b>
        {node.isThis ? (
          <Trans id="home.node.this">This server</Trans>
        ) : (
          <Trans id="home.node.other">Server {name}</Trans>
        )}
      </b>
      <NodeState node={node} />
      {node.version && <span className="home-version">{node.version}</span>}
    </p>
  );
}

function NodeState({ node: { state, startedAt, lastBeatAt } }: { node: OperatedNode }) {
  const since = momentText(startedAt);
  const last = momentText(lastBeatAt);
  if (state === "up") {
    return (
      <span className="dot is-ok">
        <Trans id="home.node.up">works since {since}</Trans>
      </span>
    );
  }
  if (state === "silent") {
    return (
      <span className="dot is-bad">
        <Trans id="home.node.silent">silent since {last}</Trans>
      </span>
    );
  }
  return (
    <span className="dot">
      <Trans id="home.node.gone">gone since {last}; others took over its work</Trans>
    </span>
  );
}

function NodeDisk({ disk: { state, freeBytes, sizeBytes } }: { disk: NonNullable<OperatedNode["disk"]> }) {
  const { i18n, t } = useLingui();
  return (
    <>
      <Meter
        label={t({ id: "home.disk", message: "Disk" })}
        used={sizeBytes - freeBytes}
        limit={sizeBytes}
        textOf={(bytes) => limitText(i18n, bytes)}
      />
      {state === "read_only" && (
        <p className="home-disk is-bad">
          <Trans id="home.disk.readOnly">
            The disk takes no changes. Uploads are refused until it does; exams can be seen.
          </Trans>
        </p>
      )}
      {state === "full" && (
        <p className="home-disk is-bad">
          <Trans id="home.disk.full">
            Uploads are refused until there is more room. Everything else goes on.
          </Trans>
        </p>
      )}
      {state === "low" && (
        <p className="home-disk is-warn">
          <Trans id="home.disk.low">Less than a tenth is left. Soon uploads are refused.</Trans>
        </p>
      )}
    </>
  );
}

function StoreRefusal({ why }: { why: OperatedNode["storeRefusal"] }) {
  if (why === null) return null;
  return (
    <p className="home-disk is-bad">
      {why === "full" ? (
        <Trans id="home.store.full">
          The archive store is full, or a quota of it is used up. Uploads fail until it has room; exams can be
          seen.
        </Trans>
      ) : (
        <Trans id="home.store.readOnly">
          The archive store takes nothing from this server. See whether its key may write, and its quota.
          Exams can be seen.
        </Trans>
      )}
    </p>
  );
}
