import { createContext } from 'preact';
import { useContext } from 'preact/hooks';
import type { Bare, Visit } from '../session/visit.js';

type Answered = Bare & Partial<Pick<Visit, 'session' | 'formToken' | 'refusal'>>;

/** The request that a page answers, for the components of the page. */
export const VisitContext = createContext<Answered | undefined>(undefined);

export function useVisit(): Answered {
  const visit = useContext(VisitContext);
  if (!visit) throw new Error('a component of a signed-in page is outside of one');
  return visit;
}
