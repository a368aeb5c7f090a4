import { shownColours, strongerIn, themes } from '../../base/colours.js';
import type { OwnTracking } from '../../packages/public-tracking.js';
import { TRACKING_PATH } from '../../packages/tracking-links.js';
import { ContactLink } from './advice.js';

// The shop that sent the package stands first on the page: its logo, name and contact, and its colour.

const accentIn = (theme: keyof typeof themes, colour: string): string => {
  const [ground] = themes[theme].grounds;
  return `:root{--accent:${colour};--accent-strong:${strongerIn(theme, colour)};--on-accent:${ground}}`;
};

/** A style sheet that draws the page in the colour, legible in both themes. */
export function themeOf(colour: string): string {
  const { light, dark } = shownColours(colour);
  return `${accentIn('light', light)}@media (prefers-color-scheme:dark){${accentIn('dark', dark)}}\n`;
}

/** The path of that style sheet. */
export const themePath = (colour: string): string => `${TRACKING_PATH}colors/${colour.slice(1)}.css`;

/** The shop and its contact, above the state of its package; nothing for a shop that was erased. */
export function Shop({ own, token }: { own: OwnTracking | null; token: string }) {
  if (!own || own.senderName === null) return null;
  return (
    <div class="shop">
      {own.brand?.hasLogo && <img src={`${token}/logo`} alt="" />}
      <p>
        <strong>{own.senderName}</strong> {own.supportContact && <ContactLink contact={own.supportContact} />}
      </p>
    </div>
  );
}
