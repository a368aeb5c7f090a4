import type { Notices } from '../errors.js';
import type { Language, Text } from '../language.js';

/** Title and text of a status, in the words of the person who waits for the package. */
type StatusText = Readonly<Record<Language, readonly [title: string, text: string]>>;

/** By the code of the catalogue; a status that the operator added has the catalogue's own words. */
export const statusTexts: Readonly<Record<number, StatusText>> = {
  1: {
    'pt-BR': ['Envio registrado', 'O remetente preparou o pacote, que ainda vai ser coletado.'],
    en: ['Registered', 'The sender has prepared the package. It has yet to be collected.'],
  },
  2: {
    'pt-BR': ['Envio cancelado', 'O pacote não será entregue. Em caso de dúvida, fale com o remetente.'],
    en: ['Cancelled', 'The package will not be delivered. If you have questions, ask the sender.'],
  },
  3: {
    'pt-BR': ['A caminho', 'O pacote está conosco e segue para o destino.'],
    en: ['On its way', 'We have the package, and it is going to its destination.'],
  },
  5: {
    'pt-BR': ['Entregue', 'O pacote foi entregue.'],
    en: ['Delivered', 'The package was delivered.'],
  },
  6: {
    'pt-BR': ['Parado: o remetente precisa agir', 'A entrega só continua quando o remetente responder.'],
    en: ['On hold: the sender must act', 'The delivery goes on once the sender has answered.'],
  },
  7: {
    'pt-BR': ['Em devolução', 'O pacote está voltando para o remetente.'],
    en: ['Being returned', 'The package is going back to the sender.'],
  },
  8: {
    'pt-BR': ['Devolvido', 'O pacote voltou para o remetente.'],
    en: ['Returned', 'The package is back at the sender.'],
  },
  9: {
    'pt-BR': [
      'Não localizado',
      'Estamos procurando o pacote. Se ele aparecer, a entrega continua; enquanto isso, fale com o remetente.',
    ],
    en: [
      'Missing',
      'We are looking for the package. If it turns up, the delivery goes on; meanwhile, talk to the sender.',
    ],
  },
  10: {
    'pt-BR': ['Pronto para retirada', 'O pacote espera por você em uma agência dos correios.'],
    en: ['Ready to be picked up', 'The package waits for you at a post office.'],
  },
  11: {
    'pt-BR': ['Saiu para entrega', 'O entregador está com o pacote. Alguém precisa estar no endereço para receber.'],
    en: ['Out for delivery', 'The courier has the package. Somebody must be at the address to receive it.'],
  },
  14: {
    'pt-BR': ['Coletado', 'Buscamos o pacote no remetente.'],
    en: ['Collected', 'We fetched the package from the sender.'],
  },
  17: {
    'pt-BR': ['Em uma base de distribuição', 'O pacote chegou a uma base no caminho até você.'],
    en: ['At a distribution centre', 'The package reached a centre on its way to you.'],
  },
  18: {
    'pt-BR': ['Ninguém pôde receber', 'Passamos no endereço e ninguém recebeu. Vamos tentar de novo.'],
    en: ['Nobody could receive it', 'We were at the address and nobody received the package. We will try again.'],
  },
};

/** Steps of a package when nothing goes wrong, by the stage of its status. */
export const stepTexts: Readonly<Record<'created' | 'processing' | 'out_for_delivery' | 'completed', Text>> = {
  created: { 'pt-BR': 'Registrado', en: 'Registered' },
  processing: { 'pt-BR': 'A caminho', en: 'On its way' },
  out_for_delivery: { 'pt-BR': 'Em entrega', en: 'In delivery' },
  completed: { 'pt-BR': 'Entregue', en: 'Delivered' },
};

/** `{name}` stands for a value. */
export const texts = {
  title: { 'pt-BR': 'Pacote {code}: {status}', en: 'Package {code}: {status}' },
  description: {
    'pt-BR': 'Onde está o pacote, quando chega e o que fazer.',
    en: 'Where the package is, when it arrives and what to do.',
  },
  toContent: { 'pt-BR': 'Ir para o conteúdo', en: 'Skip to the content' },
  brand: { 'pt-BR': 'Acompanhe o seu pacote', en: 'Follow your package' },
  language: { 'pt-BR': 'Idioma', en: 'Language' },
  live: { 'pt-BR': 'Esta página se atualiza sozinha.', en: 'This page updates by itself.' },
  reload: {
    'pt-BR': 'Recarregue a página para ver as novidades.',
    en: 'Reload the page to see what is new.',
  },
  steps: { 'pt-BR': 'Etapas', en: 'Steps' },
  details: { 'pt-BR': 'Sobre o envio', en: 'About the package' },
  code: { 'pt-BR': 'Código de rastreio', en: 'Tracking code' },
  promise: { 'pt-BR': 'Previsão de entrega', en: 'Expected delivery' },
  late: {
    'pt-BR': 'O pacote está atrasado. Avisaremos aqui de cada novidade.',
    en: 'The package is late. You will read here of everything new.',
  },
  place: { 'pt-BR': 'Onde está', en: 'Where it is' },
  destination: { 'pt-BR': 'Destino', en: 'Destination' },
  sender: { 'pt-BR': 'Remetente', en: 'Sender' },
  recipient: { 'pt-BR': 'Destinatário', en: 'Recipient' },
  whatToDo: { 'pt-BR': 'O que fazer', en: 'What to do' },
  reason: { 'pt-BR': 'Motivo:', en: 'Reason:' },
  askSender: {
    'pt-BR': 'Fale com {sender} e informe o código {code}. Você não precisa fazer mais nada.',
    en: 'Talk to {sender} and give the code {code}. There is nothing else that you need to do.',
  },
  theSender: { 'pt-BR': 'o remetente', en: 'the sender' },
  pickUp: {
    'pt-BR': 'Retire o pacote nesta agência. Leve um documento com foto e o código {code}.',
    en: 'Pick the package up at this post office. Take an identity document with a photo and the code {code} with you.',
  },
  postalCode: { 'pt-BR': 'CEP', en: 'Postal code' },
  history: { 'pt-BR': 'Histórico', en: 'History' },
  zone: { 'pt-BR': 'Horário de Brasília.', en: 'Times are those of Brasília.' },
  secret: {
    'pt-BR': 'Quem tem este link vê esta página. Ele vale até 90 dias depois da entrega.',
    en: 'Whoever has this link sees this page. It is valid until 90 days after the delivery.',
  },
} as const satisfies Record<string, Text>;

export const notices: Notices = {
  NOT_FOUND: {
    'pt-BR': [
      'Link de rastreio inválido',
      'O link está incompleto, foi cancelado ou a entrega terminou há mais de 90 dias. Peça um novo ao remetente.',
    ],
    en: [
      'This tracking link is not valid',
      'The link is not complete, was revoked, or the delivery ended more than 90 days ago. Ask the sender for a new one.',
    ],
  },
};
