import type { Text } from '../../language.js';
import { words } from '../../texts.js';

export const texts = {
  ...words,
  rates: { 'pt-BR': 'Tabela de preços', en: 'Rate card' },
  history: { 'pt-BR': 'Versões', en: 'Versions' },
  version: { 'pt-BR': 'Versão', en: 'Version' },
  base: { 'pt-BR': 'Base (R$)', en: 'Base (R$)' },
  per_km: { 'pt-BR': 'Por km (R$)', en: 'Per km (R$)' },
  per_kg: { 'pt-BR': 'Por kg (R$)', en: 'Per kg (R$)' },
  per_extra_stop: { 'pt-BR': 'Por parada extra (R$)', en: 'Per extra stop (R$)' },
  volumetric_cm3_per_kg: { 'pt-BR': 'cm³ que valem 1 kg', en: 'cm³ that count as 1 kg' },
  add: { 'pt-BR': 'Pôr nova tabela em vigor', en: 'Put a new card in force' },
  preview: { 'pt-BR': 'Ver o que mudaria', en: 'Show what would change' },
  previewOf: {
    'pt-BR': 'Os 100 pedidos mais novos, pela tabela em vigor e pela nova. Nada mudou ainda.',
    en: 'The 100 newest orders, by the card in force and by the new one. Nothing has changed yet.',
  },
  dearer: { 'pt-BR': 'Mais caros', en: 'Dearer' },
  cheaper: { 'pt-BR': 'Mais baratos', en: 'Cheaper' },
  charged: { 'pt-BR': 'Cobrado (R$)', en: 'Charged (R$)' },
  currentTotal: { 'pt-BR': 'Em vigor (R$)', en: 'In force (R$)' },
  newTotal: { 'pt-BR': 'Nova (R$)', en: 'New (R$)' },
  statuses: { 'pt-BR': 'Situações dos pacotes', en: 'Package statuses' },
  description: { 'pt-BR': 'Descrição', en: 'Description' },
  requirement: { 'pt-BR': 'Precisa de', en: 'Needs' },
  nothing: { 'pt-BR': 'Nada', en: 'Nothing' },
  stage: { 'pt-BR': 'Etapa do pedido', en: 'Stage of the order' },
  final: { 'pt-BR': 'Final', en: 'Final' },
  addStatus: { 'pt-BR': 'Acrescentar situação', en: 'Add a status' },
} satisfies Record<string, Text>;
