/** Endings of names whose values are secrets, whatever stands before them. */
const SECRET_NAME =
  /(?:^|_)(?:pass|passwd|password|passphrase|pwd|secret|secrets|token|credential|credentials|apikey|api_key|secret_key|private_key|access_key|encryption_key)$/i;

/** Whether a variable of this name holds a secret, by what people call such. */
export const isSecretName = (name: string): boolean => SECRET_NAME.test(name);
