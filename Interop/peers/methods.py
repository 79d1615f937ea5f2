"""The ways to pair, and what either side can show and type in each; whatever the foreign stack is."""

import dataclasses


@dataclasses.dataclass
class Method:
    """One way to pair: the word of our JSON for it, the options of our tool, and what the other side can show and type."""

    name: str
    word: str
    ours: list[str]
    theirs: str
    is_secure: bool

    def __str__(self):
        return f'{self.name}-{"secure" if self.is_secure else "legacy"}'

    @property
    def is_authenticated(self):
        return self.word != 'just-works'

    @property
    def level(self):
        return 'encrypted' if not self.is_authenticated else 'secure' if self.is_secure else 'authenticated'


# The passkey that stays the same where the other side shows it and can be told which.
PASSKEY = 271828


def methods():
    """All methods, in both kinds of pairing that there are of each."""
    kinds = [
        ('just-works', 'just-works', ['--io', 'no-input-no-output'], 'no-input-no-output', (True, False)),
        ('passkey-of-ours', 'passkey-entry', ['--io', 'display-only'], 'keyboard-only', (True, False)),
        ('passkey-of-theirs', 'passkey-entry', ['--io', 'keyboard-only'], 'display-only', (True, False)),
        ('comparison', 'numeric-comparison', ['--io', 'display-yes-no'], 'display-yes-no', (True,)),
        ('out-of-band', 'out-of-band', ['--io', 'no-input-no-output'], 'no-input-no-output', (True, False)),
    ]
    return [Method(name, word, ours, theirs, secure) for name, word, ours, theirs, kinds in kinds for secure in kinds]
