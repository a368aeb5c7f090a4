import type { Location } from '../../packages/movement.js';
import type { OwnTracking } from '../../packages/public-tracking.js';
import { MapLink } from '../design/map.js';
import { filled, postalCodeText, trackingTexts as texts } from '../texts.js';
import { useSay } from '../written.js';

// Shows the parts of a package's page that only its recipient may see.

export function Advice({ pickupAgency, reasonLabel, asksForPin, senderName, code }: OwnTracking & { code: string }) {
  const say = useSay();
  if (!pickupAgency && !asksForPin && reasonLabel === null) return null;
  const sender = senderName ?? say(texts.theSender);
  return (
    <section class="card advice" aria-labelledby="advice">
      <h2 id="advice">{say(texts.whatToDo)}</h2>
      {reasonLabel !== null && [
        <p>{[say(texts.reason), ' ', <strong>{reasonLabel}</strong>]}</p>,
        <p>{filled(say(texts.askSender), { sender, code })}</p>,
      ]}
      {pickupAgency && [
        <p>{filled(say(texts.pickUp), { code })}</p>,
        <address>
          <MapLink place={`${pickupAgency.address}, ${placeText(pickupAgency)}`} text={pickupAgency.address} />
          <br />
          {placeText(pickupAgency)}
          <br />
          {say(texts.postalCode)} {postalCodeText(pickupAgency.postalCode)}
        </address>,
      ]}
      {asksForPin && <p>{filled(say(texts.pin), { sender })}</p>}
    </section>
  );
}

/** Shows who received the package, and the courier's photo. */
export function Proof({ receivedBy, hasPhoto, photo }: OwnTracking & { photo: string }) {
  const say = useSay();
  if (receivedBy === null && !hasPhoto) return null;
  return (
    <figure class="card proof">
      {hasPhoto && (
        <a href={photo}>
          <img src={photo} alt={say(texts.enlargePhoto)} loading="lazy" />
        </a>
      )}
      {receivedBy !== null && <figcaption>{filled(say(texts.receivedBy), { name: receivedBy })}</figcaption>}
    </figure>
  );
}

/** Shows how to contact the sender. */
export function Help({ supportContact: contact, senderName, code }: OwnTracking & { code: string }) {
  const say = useSay();
  if (contact === null) return null;
  const sender = senderName ?? say(texts.theSender);
  return (
    <section class="card" aria-labelledby="help">
      <h2 id="help">{say(texts.help)}</h2>
      <p>
        {filled(say(texts.contact), { sender, code })} <ContactLink contact={contact} />
      </p>
    </section>
  );
}

export const ContactLink = ({ contact }: { contact: string }) => (
  <a href={hrefOf(contact)}>{contact.replace('https://', '')}</a>
);

/** The link of a contact: a web address, an e-mail address or a telephone number (`SupportContact` of the contract). */
function hrefOf(contact: string): string {
  if (contact.startsWith('https://')) return contact;
  return contact.includes('@') ? `mailto:${contact}` : `tel:${contact.replaceAll(/[^\d+]/g, '')}`;
}

export const placeText = ({ city, state }: Location): string => `${city} – ${state}`;
