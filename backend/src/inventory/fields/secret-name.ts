const SECRET_NAME_PATTERN =
  /(?:^|_)(?:pass|passwd|password|passphrase|pwd|secret|secrets|token|credential|credentials|apikey|api_key|secret_key|private_key|access_key|encryption_key)$/i;

export const isSecretName = (name: string): boolean => SECRET_NAME_PATTERN.test(name);
