import { option, type Session } from '../../command.js';
import { readSecret } from '../../terminal.js';

export const codeOption = option('--code <code>', 'code of your second factor, where your password is needed again');

interface Given {
  code?: string | undefined;
  /** True when standard input holds the operator's own password. */
  fromStdin?: boolean;
}

/** Proves that the operator is there: by a code, else by the password, as configured or typed. */
export async function proofOf({ config, terminal }: Session, { code, fromStdin = false }: Given) {
  if (code !== undefined) return { code };
  const configured = fromStdin ? undefined : config.credentials.password;
  return { current_password: configured ?? (await readSecret(terminal, 'Your password', fromStdin)) };
}
