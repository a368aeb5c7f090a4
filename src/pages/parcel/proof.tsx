import { useVisit } from '../design/context.js';
import { Facts, Section } from '../design/pieces.js';
import { Word } from '../page.js';
import type { RestSchemas } from '../session/operations.js';
import { pinStates, packageTexts as texts } from '../texts.js';
import { Time } from '../times.js';

type Proof = RestSchemas['DeliveryProof'];

/** The proof that a package was handed over; `path` is that of the package's page. */
export function ProofSection({ proof, path }: { proof: Proof; path: string }) {
  const { position, pin } = proof;
  return (
    <Section title={texts.proof} id="proof">
      <Facts
        facts={[
          [texts.deliveredAt, <Time at={proof.delivered_at} />],
          [texts.receivedBy, proof.recipient_name],
          [texts.document, proof.recipient_document],
          [texts.position, position && positionText(position)],
          [texts.pin, pin && <Word of={pinStates} value={pin} />],
        ]}
      />
      <div class="pictures">
        <Picture {...{ proof, path }} kind="photo" />
        <Picture {...{ proof, path }} kind="signature" />
      </div>
    </Section>
  );
}

const positionText = ({ latitude, longitude, accuracy }: NonNullable<Proof['position']>): string =>
  `${latitude}, ${longitude}${accuracy === undefined ? '' : ` ± ${accuracy} m`}`;

function Picture({ proof, path, kind }: { proof: Proof; path: string; kind: 'photo' | 'signature' }) {
  const name = useVisit().say(texts[kind]);
  const picture = proof[kind];
  if (!picture) return null;
  const address = `${path}/proof/${kind}`;
  return (
    <figure>
      <a href={address}>
        <img src={address} alt={name} loading="lazy" />
      </a>
      <figcaption>
        {name}, {Math.ceil(picture.size / 1024)} KiB
      </figcaption>
    </figure>
  );
}
