import type { ErrorCode } from '../../base/errors.js';
import type { Text } from '../language.js';

export const texts = {
  console: { 'pt-BR': 'Console do operador', en: "Operator's console" },
  skip: { 'pt-BR': 'Ir para o conteúdo', en: 'Skip to content' },
  sections: { 'pt-BR': 'Seções', en: 'Sections' },
  signOut: { 'pt-BR': 'Sair', en: 'Sign out' },
  none: { 'pt-BR': 'Nada aqui.', en: 'Nothing here.' },
  pages: { 'pt-BR': 'Páginas', en: 'Pages' },
  page: { 'pt-BR': 'página', en: 'page' },
  inAll: { 'pt-BR': 'no total', en: 'in all' },
  previous: { 'pt-BR': '← Anterior', en: '← Previous' },
  next: { 'pt-BR': 'Próxima →', en: 'Next →' },
  search: { 'pt-BR': 'Buscar', en: 'Search' },
  filter: { 'pt-BR': 'Filtrar', en: 'Filter' },
  searchLabel: { 'pt-BR': 'Código, e-mail ou nome', en: 'Code, e-mail or name' },
  refused: { 'pt-BR': 'O pedido foi recusado.', en: 'The request was refused.' },
  home: { 'pt-BR': 'Voltar ao início', en: 'Back to the start' },
} satisfies Record<string, Text>;

/** Words of several rooms. */
export const words = {
  account: { 'pt-BR': 'Conta', en: 'User' },
  actions: { 'pt-BR': 'Ações', en: 'Actions' },
  active: { 'pt-BR': 'ativo', en: 'active' },
  address: { 'pt-BR': 'Endereço', en: 'Address' },
  change: { 'pt-BR': 'Alterar', en: 'Change' },
  code: { 'pt-BR': 'Código', en: 'Code' },
  created: { 'pt-BR': 'Criado em', en: 'Created' },
  deadLetters: { 'pt-BR': 'Desistidos', en: 'Dead letters' },
  detail: { 'pt-BR': 'Em detalhe', en: 'In detail' },
  disabled: { 'pt-BR': 'desativado', en: 'disabled' },
  email: { 'pt-BR': 'E-mail', en: 'E-mail' },
  every: { 'pt-BR': 'Todos', en: 'All' },
  lastFailure: { 'pt-BR': 'Última falha', en: 'Last failure' },
  late: { 'pt-BR': 'Atrasados', en: 'Late' },
  name: { 'pt-BR': 'Nome', en: 'Name' },
  newPassword: { 'pt-BR': 'Nova senha (vazio: fica como está)', en: 'New password (empty: stays as it is)' },
  no: { 'pt-BR': 'não', en: 'no' },
  order: { 'pt-BR': 'Pedido', en: 'Order' },
  orders: { 'pt-BR': 'Pedidos', en: 'Orders' },
  package: { 'pt-BR': 'Pacote', en: 'Package' },
  packages: { 'pt-BR': 'Pacotes', en: 'Packages' },
  password: { 'pt-BR': 'Senha', en: 'Password' },
  phone: { 'pt-BR': 'Telefone', en: 'Phone' },
  reason: { 'pt-BR': 'Motivo', en: 'Reason' },
  save: { 'pt-BR': 'Salvar', en: 'Save' },
  since: { 'pt-BR': 'Desde', en: 'Since' },
  state: { 'pt-BR': 'Estado', en: 'State' },
  stuck: { 'pt-BR': 'Parados há 3 dias', en: 'Stuck for 3 days' },
  users: { 'pt-BR': 'Contas', en: 'Users' },
  waiting: { 'pt-BR': 'Esperam', en: 'Waiting' },
  when: { 'pt-BR': 'Quando', en: 'When' },
  which: { 'pt-BR': 'Quais', en: 'Which' },
  yes: { 'pt-BR': 'sim', en: 'yes' },
} satisfies Record<string, Text>;

export const refusals: Partial<Readonly<Record<ErrorCode, Text>>> = {
  MALFORMED_REQUEST: { 'pt-BR': 'O formulário não pôde ser lido.', en: 'The form could not be read.' },
  VALIDATION_ERROR: { 'pt-BR': 'Confira os campos.', en: 'Check the fields.' },
  FORBIDDEN: { 'pt-BR': 'Isso não é permitido.', en: 'That is not allowed.' },
  NOT_FOUND: { 'pt-BR': 'Não encontrado.', en: 'Not found.' },
  IDEMPOTENCY_KEY_REUSED: {
    'pt-BR': 'Este formulário já foi enviado com outro conteúdo. Abra a página de novo.',
    en: 'This form was sent before with other content. Open the page again.',
  },
  CONFLICT: { 'pt-BR': 'Não combina com o estado atual.', en: 'That does not fit the present state.' },
  PRECONDITION_FAILED: {
    'pt-BR': 'Alguém mudou isto depois que você abriu a página.',
    en: 'Somebody has changed this since you opened the page.',
  },
  PAYLOAD_TOO_LARGE: { 'pt-BR': 'É grande demais.', en: 'It is too large.' },
  RATE_LIMITED: { 'pt-BR': 'Pedidos demais; espere um pouco.', en: 'Too many requests; wait a while.' },
  UNAVAILABLE: { 'pt-BR': 'O serviço não pode responder agora.', en: 'The service cannot answer now.' },
};

export const sections: readonly { path: string; name: Text }[] = [
  { path: '/console', name: { 'pt-BR': 'Início', en: 'Start' } },
  { path: '/console/packages', name: { 'pt-BR': 'Pacotes', en: 'Packages' } },
  { path: '/console/tasks', name: { 'pt-BR': 'Tarefas', en: 'Tasks' } },
  { path: '/console/users', name: { 'pt-BR': 'Contas', en: 'Users' } },
  { path: '/console/webhook-endpoints', name: { 'pt-BR': 'Webhooks', en: 'Webhooks' } },
  { path: '/console/rate-cards', name: { 'pt-BR': 'Preços', en: 'Rates' } },
  { path: '/console/package-statuses', name: { 'pt-BR': 'Situações', en: 'Statuses' } },
  { path: '/console/operator-keys', name: { 'pt-BR': 'Chaves', en: 'Keys' } },
  { path: '/console/audit-log', name: { 'pt-BR': 'Auditoria', en: 'Audit log' } },
];

/** Messages of success, by the `done` of the address. */
export const done: Readonly<Record<string, Text>> = {
  recorded: { 'pt-BR': 'Movimentação registrada.', en: 'The movement was recorded.' },
  duplicate: { 'pt-BR': 'Já estava registrada.', en: 'It was recorded before.' },
  saved: { 'pt-BR': 'Feito.', en: 'Done.' },
  completed: { 'pt-BR': 'A tarefa foi concluída.', en: 'The task was completed.' },
  created: { 'pt-BR': 'A conta foi criada.', en: 'The user was created.' },
  deactivated: { 'pt-BR': 'A conta foi desativada.', en: 'The user was deactivated.' },
  sent: { 'pt-BR': 'O envio foi antecipado.', en: 'What waits is being sent now.' },
};
