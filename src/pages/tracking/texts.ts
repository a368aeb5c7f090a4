import type { Notices } from '../errors.js';
import type { Text } from '../language.js';

/** A status in the words of the person who waits for the package. */
export interface StatusText {
  title: Text;
  text: Text;
}

/** By the code of the catalogue; what the operator added has the catalogue's own words. */
export const statusTexts: Readonly<Record<number, StatusText>> = {
  1: {
    title: { 'pt-BR': 'Envio registrado', en: 'Registered' },
    text: {
      'pt-BR': 'O remetente preparou o pacote, que ainda vai ser coletado.',
      en: 'The sender has prepared the package. It has yet to be collected.',
    },
  },
  2: {
    title: { 'pt-BR': 'Envio cancelado', en: 'Cancelled' },
    text: {
      'pt-BR': 'O pacote não será entregue. Em caso de dúvida, fale com o remetente.',
      en: 'The package will not be delivered. If you have questions, ask the sender.',
    },
  },
  3: {
    title: { 'pt-BR': 'A caminho', en: 'On its way' },
    text: {
      'pt-BR': 'O pacote está conosco e segue para o destino.',
      en: 'We have the package, and it is going to its destination.',
    },
  },
  5: {
    title: { 'pt-BR': 'Entregue', en: 'Delivered' },
    text: { 'pt-BR': 'O pacote foi entregue.', en: 'The package was delivered.' },
  },
  6: {
    title: { 'pt-BR': 'Parado: o remetente precisa agir', en: 'On hold: the sender must act' },
    text: {
      'pt-BR': 'A entrega só continua quando o remetente responder.',
      en: 'The delivery goes on once the sender has answered.',
    },
  },
  7: {
    title: { 'pt-BR': 'Em devolução', en: 'Being returned' },
    text: { 'pt-BR': 'O pacote está voltando para o remetente.', en: 'The package is going back to the sender.' },
  },
  8: {
    title: { 'pt-BR': 'Devolvido', en: 'Returned' },
    text: { 'pt-BR': 'O pacote voltou para o remetente.', en: 'The package is back at the sender.' },
  },
  9: {
    title: { 'pt-BR': 'Não localizado', en: 'Missing' },
    text: {
      'pt-BR': 'Estamos procurando o pacote. Se ele aparecer, a entrega continua; enquanto isso, fale com o remetente.',
      en: 'We are looking for the package. If it turns up, the delivery goes on; meanwhile, talk to the sender.',
    },
  },
  10: {
    title: { 'pt-BR': 'Pronto para retirada', en: 'Ready to be picked up' },
    text: {
      'pt-BR': 'O pacote espera por você em uma agência dos correios.',
      en: 'The package waits for you at a post office.',
    },
  },
  11: {
    title: { 'pt-BR': 'Saiu para entrega', en: 'Out for delivery' },
    text: {
      'pt-BR': 'O entregador está com o pacote. Alguém precisa estar no endereço para receber.',
      en: 'The courier has the package. Somebody must be at the address to receive it.',
    },
  },
  14: {
    title: { 'pt-BR': 'Coletado', en: 'Collected' },
    text: { 'pt-BR': 'Buscamos o pacote no remetente.', en: 'We fetched the package from the sender.' },
  },
  17: {
    title: { 'pt-BR': 'Em uma base de distribuição', en: 'At a distribution centre' },
    text: {
      'pt-BR': 'O pacote chegou a uma base no caminho até você.',
      en: 'The package reached a centre on its way to you.',
    },
  },
  18: {
    title: { 'pt-BR': 'Ninguém pôde receber', en: 'Nobody could receive it' },
    text: {
      'pt-BR': 'Passamos no endereço e ninguém recebeu. Vamos tentar de novo.',
      en: 'We were at the address and nobody received the package. We will try again.',
    },
  },
};

/** The steps that a package takes when nothing goes wrong, by the stage of its status. */
export const stepTexts: Readonly<Record<'created' | 'processing' | 'out_for_delivery' | 'completed', Text>> = {
  created: { 'pt-BR': 'Registrado', en: 'Registered' },
  processing: { 'pt-BR': 'A caminho', en: 'On its way' },
  out_for_delivery: { 'pt-BR': 'Em entrega', en: 'In delivery' },
  completed: { 'pt-BR': 'Entregue', en: 'Delivered' },
};

/** `{name}` stands for a value. */
export const texts = {
  title: { 'pt-BR': 'Pacote {code}: {status}', en: 'Package {code}: {status}' },
  toContent: { 'pt-BR': 'Ir para o conteúdo', en: 'Skip to the content' },
  brand: { 'pt-BR': 'Acompanhe o seu pacote', en: 'Follow your package' },
  otherLanguage: { 'pt-BR': 'English', en: 'Português' },
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
    title: { 'pt-BR': 'Link de rastreio inválido', en: 'This tracking link is not valid' },
    text: {
      'pt-BR':
        'O link está incompleto, foi cancelado ou a entrega terminou há mais de 90 dias. Peça um novo ao remetente.',
      en: 'The link is not complete, was revoked, or the delivery ended more than 90 days ago. Ask the sender for a new one.',
    },
  },
};
