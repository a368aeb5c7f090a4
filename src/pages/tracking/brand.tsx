import { shownColours, strongerIn, themes } from '../../base/colours.js';
import type { OwnTracking } from '../../packages/public-tracking.js';
import { TRACKING_PATH } from '../../packages/tracking-links.js';
import { ContactLink } from './advice.js';

// Shows the shop that sent the package first: its logo, name, contact and colour.

const accentIn = (theme: keyof typeof themes, colour: string): string => {
  const [ground] = themes[theme].grounds;
  return `:root{--accent:${colour};--accent-strong:${strongerIn(theme, colour)};--on-accent:${ground}}`;
};

/** A style sheet with the shop's colour, legible in both themes. */
export function themeOf(colour: string): string {
  const { light, dark } = shownColours(colour);
  return `${accentIn('light', light)}@media (prefers-color-scheme:dark){${accentIn('dark', dark)}}\n`;
}

/** The path of the style sheet that `themeOf` makes. */
export const themePath = (colour: string): string => `${TRACKING_PATH}colors/${colour.slice(1)}.css`;

/** Shows the shop and its contact above the state of the package. Shows nothing if the shop was erased. */
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
