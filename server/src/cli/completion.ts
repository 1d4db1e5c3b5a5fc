/** Shells that `vidette completion` has a script for. */
export const shells = ['bash', 'zsh', 'fish'] as const;
export type Shell = (typeof shells)[number];

/** A command as the completion shows it. */
export interface CompletedCommand {
  readonly name: string;
  readonly does: string;
  /** Options and fixed words that it takes. */
  readonly words: readonly string[];
  readonly takesFiles: boolean;
}

/** A script that has a shell complete the commands of `vidette` and what they take. */
export function completion(shell: Shell, commands: readonly CompletedCommand[]): string {
  return { bash: bashScript, zsh: zshScript, fish: fishScript }[shell](commands);
}

function bashScript(commands: readonly CompletedCommand[]): string {
  const cases = commands.map(({ name, words, takesFiles }) => {
    const files = takesFiles ? '; compgen -f -- "$current"' : '';
    // One line is one word: names of files may contain spaces.
    return `    ${name}) mapfile -t COMPREPLY < <(compgen -W '${words.join(' ')}' -- "$current"${files}) ;;`;
  });
  return [
    '_vidette() {',
    '  local current=${COMP_WORDS[COMP_CWORD]}',
    '  if [ "$COMP_CWORD" = 1 ]; then',
    `    COMPREPLY=($(compgen -W '${commands.map(({ name }) => name).join(' ')}' -- "$current"))`,
    '    return',
    '  fi',
    '  case ${COMP_WORDS[1]} in',
    ...cases,
    '  esac',
    '}',
    'complete -o filenames -F _vidette vidette',
  ].join('\n');
}

function zshScript(commands: readonly CompletedCommand[]): string {
  const quoted = (text: string) => `'${text.replaceAll("'", "'\\''")}'`;
  return [
    '#compdef vidette',
    '_vidette() {',
    '  local -a commands',
    '  commands=(',
    ...commands.map(({ name, does }) => `    ${quoted(`${name}:${does}`)}`),
    '  )',
    '  if (( CURRENT == 2 )); then _describe command commands; return; fi',
    '  case $words[2] in',
    ...commands.map(
      ({ name, words, takesFiles }) =>
        `    ${name}) ${[words.length > 0 ? `compadd -- ${words.join(' ')}` : '', takesFiles ? '_files' : ''].filter(Boolean).join('; ')} ;;`,
    ),
    '  esac',
    '}',
    'if [ "$funcstack[1]" = _vidette ]; then _vidette "$@"; else compdef _vidette vidette; fi',
  ].join('\n');
}

function fishScript(commands: readonly CompletedCommand[]): string {
  const quoted = (text: string) => `'${text.replaceAll('\\', '\\\\').replaceAll("'", "\\'")}'`;
  return [
    'complete -c vidette -f',
    ...commands.flatMap(({ name, does, words, takesFiles }) => [
      `complete -c vidette -n __fish_use_subcommand -a ${name} -d ${quoted(does)}`,
      ...(words.length > 0
        ? [`complete -c vidette -n '__fish_seen_subcommand_from ${name}' -a ${quoted(words.join(' '))}`]
        : []),
      ...(takesFiles ? [`complete -c vidette -n '__fish_seen_subcommand_from ${name}' -F`] : []),
    ]),
  ].join('\n');
}
