import type { Text } from '../../language.js';
import { words } from '../texts.js';

export const texts = {
  ...words,
  signIn: { 'pt-BR': 'Entrar', en: 'Sign in' },
  wrong: { 'pt-BR': 'E-mail ou senha incorretos.', en: 'Wrong e-mail or password.' },
  budget: {
    'pt-BR': 'Tentativas demais. Espere alguns minutos e tente de novo.',
    en: 'Too many attempts. Wait some minutes, then try again.',
  },
  ended: { 'pt-BR': 'A sessão terminou. Entre de novo.', en: 'The session has ended. Sign in again.' },
  codeTitle: { 'pt-BR': 'Segundo fator', en: 'Second factor' },
  codeHint: {
    'pt-BR': 'Os 6 dígitos do aplicativo autenticador, ou um código de recuperação.',
    en: 'The 6 digits of the authenticator app, or a recovery code.',
  },
  wrongCode: { 'pt-BR': 'O código não vale, ou já foi usado.', en: 'The code is not valid, or was used before.' },
  next: { 'pt-BR': 'Continuar', en: 'Continue' },
  isOn: {
    'pt-BR': 'O segundo fator está ligado: cada entrada pede um código do aplicativo autenticador.',
    en: 'The second factor is on: each sign-in asks for a code of the authenticator app.',
  },
  lost: {
    'pt-BR': 'Se você o perder, outro operador pode removê-lo, ou quem tem acesso à máquina:',
    en: 'If you lose it, another operator can remove it, or whoever has the machine:',
  },
  isOff: {
    'pt-BR':
      'Sem segundo fator, quem souber a sua senha entra no console. Um aplicativo autenticador no celular evita isso. As chaves de operador que você criou sem ele só leem depois disso: crie-as de novo.',
    en: 'Without a second factor, whoever knows your password gets into the console. An authenticator app on your phone prevents that. Operator keys that you made without it only read afterwards: make them anew.',
  },
  isRequired: {
    'pt-BR': 'Este serviço exige um segundo fator dos operadores. Configure o seu para continuar.',
    en: 'This service requires a second factor of its operators. Set yours up to continue.',
  },
  begin: { 'pt-BR': 'Configurar o segundo fator', en: 'Set up the second factor' },
  scan: {
    'pt-BR': 'Leia este código com o aplicativo autenticador e digite os 6 dígitos que ele mostrar.',
    en: 'Scan this code with the authenticator app, then type the 6 digits that it shows.',
  },
  picture: { 'pt-BR': 'Código QR do segundo fator', en: 'QR code of the second factor' },
  byHand: { 'pt-BR': 'Ou digite esta chave:', en: 'Or type this key:' },
  digits: { 'pt-BR': 'Os 6 dígitos', en: 'The 6 digits' },
  confirm: { 'pt-BR': 'Ligar o segundo fator', en: 'Turn the second factor on' },
  enrolmentEnded: {
    'pt-BR': 'Passaram mais de 10 minutos: leia o novo código.',
    en: 'More than 10 minutes have passed: scan the new code.',
  },
  recoveryTitle: { 'pt-BR': 'Códigos de recuperação', en: 'Recovery codes' },
  recovery: {
    'pt-BR': 'Guarde estes códigos: cada um vale uma vez no lugar do aplicativo. Eles não serão mostrados de novo.',
    en: 'Keep these codes: each is good once in place of the app. They are not shown again.',
  },
} satisfies Record<string, Text>;
