from judgments.shortcuts import COMMANDS, keys_of, own_keys


def test_every_command_has_its_own_key():
    keys = keys_of({})

    assert len(set(keys.values())) == len(COMMANDS)


def test_a_key_of_ones_own_comes_first_and_only_that_is_stored():
    keys = keys_of({"undo": "z", "unknown": "q"})

    assert keys["undo"] == "z"
    assert "unknown" not in keys
    assert own_keys(keys) == {"undo": "z"}
