import type { Text } from '../language.js';

/** The frame of the guide, and the groups of its pages. The guide itself is written in English. */
export const texts = {
  start: { 'pt-BR': 'Comece aqui', en: 'Start' },
  guides: { 'pt-BR': 'Guias', en: 'Guides' },
  requests: { 'pt-BR': 'Toda requisição', en: 'Every request' },
  reference: { 'pt-BR': 'Referência', en: 'Reference' },
  changes: { 'pt-BR': 'Novidades', en: 'Changes' },
  skip: { 'pt-BR': 'Ir para o conteúdo', en: 'Skip to the content' },
  guide: { 'pt-BR': 'Guia do integrador', en: 'Guide for integrators' },
  inEnglish: { 'pt-BR': 'Os textos deste guia estão em inglês.', en: '' },
  contents: { 'pt-BR': 'Conteúdo', en: 'Contents' },
  onThisPage: { 'pt-BR': 'Nesta página', en: 'On this page' },
  search: { 'pt-BR': 'Buscar no guia', en: 'Search the guide' },
  find: { 'pt-BR': 'Buscar', en: 'Search' },
  results: { 'pt-BR': 'Resultados', en: 'Results' },
  noResults: { 'pt-BR': 'Nada encontrado.', en: 'Nothing was found.' },
  tools: { 'pt-BR': 'Ferramentas', en: 'Tools' },
  explorer: { 'pt-BR': 'Testar a API REST', en: 'Try the REST API' },
  graphiql: { 'pt-BR': 'Testar GraphQL', en: 'Try GraphQL' },
  previous: { 'pt-BR': 'Anterior', en: 'Previous' },
  next: { 'pt-BR': 'Próxima', en: 'Next' },
  neighbours: { 'pt-BR': 'Página anterior e próxima', en: 'Previous and next page' },
  asMarkdown: { 'pt-BR': 'Esta página em Markdown', en: 'This page as Markdown' },
} satisfies Record<string, Text>;
