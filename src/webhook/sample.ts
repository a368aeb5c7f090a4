import type { TrackingRecord } from '../packages/tracking.js';

/** What a test delivery tells of: a package that nobody sent. */
export function sampleRecord(now: Date): TrackingRecord {
  const time = now.toISOString().replace('Z', '000Z');
  const added = { code: 1, highLevelStatus: 'Adicionado', description: 'Etiqueta criada, pronta para coleta.' };
  const moving = { code: 3, highLevelStatus: 'Em processamento', description: 'Coletado, em processamento.' };
  const location = { city: 'São Paulo', state: 'SP' };
  return {
    loggiKey: '00000000-0000-7000-8000-000000000000',
    seq: 2,
    trackingCode: '000000000000',
    barcode: '000000000000000000',
    promisedDate: time.slice(0, 10),
    requestTime: time,
    status: { ...moving, actionRequired: null, updatedTime: time },
    location,
    trackingHistory: [{ status: { ...added, actionRequired: null, updatedTime: time }, location }],
  };
}
