import type { Document } from '../operations.js';
import { curl, java, php } from './http.js';
import { python, typescript } from './packages.js';
import { requestsOf } from './requests.js';

/** Writes samples of code for the requests of a contract, one per language. The guide shows them in tabs. */

const writers = { curl, typescript, python, php, java };

/** The samples by operation, by example (`''` for an operation without a body), and by language. */
export type Samples = Record<string, Record<string, Record<keyof typeof writers, string>>>;

export function samplesOf(document: Document): Samples {
  const samples: Samples = {};
  for (const request of requestsOf(document)) {
    const inLanguages = {
      curl: writers.curl(request),
      typescript: writers.typescript(request),
      python: writers.python(request),
      php: writers.php(request),
      java: writers.java(request),
    };
    samples[request.id] = { ...samples[request.id], [request.example]: inLanguages };
  }
  return samples;
}
