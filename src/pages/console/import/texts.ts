import type { Text } from '../../language.js';

export const texts = {
  title: { 'pt-BR': 'Importar movimentações', en: 'Import movements' },
  what: {
    'pt-BR':
      'Um arquivo em UTF-8, CSV (vírgula ou ponto e vírgula) ou JSON Lines, com os nomes do contrato. A primeira linha de um CSV diz as colunas:',
    en: 'A file in UTF-8, CSV (comma or semicolon) or JSON Lines, with the names of the contract. The first line of a CSV names its columns:',
  },
  safe: {
    'pt-BR':
      'Repetir é seguro: uma linha sem id recebe um que segue do seu conteúdo, e a mesma movimentação não é registrada duas vezes.',
    en: 'Repeating is safe: a row without an id gets one that follows from its content, and no movement is recorded twice.',
  },
  file: { 'pt-BR': 'Arquivo', en: 'File' },
  bounds: {
    'pt-BR': 'Até 2 MiB e 10 000 linhas; para mais: malote movements record --file',
    en: 'At most 2 MiB and 10,000 rows; for more: malote movements record --file',
  },
  check: { 'pt-BR': 'Conferir o arquivo', en: 'Check the file' },
  sofar: { 'pt-BR': 'Linhas tratadas', en: 'Rows dealt with' },
  finished: { 'pt-BR': 'Tudo foi enviado.', en: 'All of it was sent.' },
  recorded: { 'pt-BR': 'Registradas', en: 'Recorded' },
  duplicate: { 'pt-BR': 'Já registradas antes', en: 'Recorded before' },
  refused: { 'pt-BR': 'Linhas recusadas', en: 'Refused rows' },
  rest: { 'pt-BR': 'A enviar', en: 'Still to be sent' },
  send: { 'pt-BR': 'Enviar até 500 linhas', en: 'Send up to 500 rows' },
  another: { 'pt-BR': 'Importar outro arquivo', en: 'Import another file' },
  onlyFirst: { 'pt-BR': 'A tabela mostra só as primeiras', en: 'The table shows only the first' },
  download: { 'pt-BR': 'Baixar todas como CSV', en: 'Download all of them as CSV' },
  line: { 'pt-BR': 'Linha', en: 'Line' },
  reason: { 'pt-BR': 'Motivo', en: 'Reason' },
  detail: { 'pt-BR': 'Em detalhe', en: 'In detail' },
  movement: { 'pt-BR': 'Movimentação', en: 'Movement' },
} satisfies Record<string, Text>;
