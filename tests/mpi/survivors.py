"""What the ranks of a job say when one of them is lost."""


def lines_of(err):
    return [line for line in err.splitlines() if line.startswith("xylem:")]


def silent(err, survivors):
    """The ranks that have not complained."""
    return [rank for rank in survivors if not any(f" rank {rank} on " in line[:30] for line in lines_of(err))]


def failure(err, survivors, lost, deeds):
    """What is wrong with their complaints, or None. Who learns of the loss says one of `deeds` of that rank; who only timed out
    tells the others that it has given up itself."""
    if late := silent(err, survivors):
        return f"ranks {late} said nothing"
    guilty = [line for line in lines_of(err) if any(f": rank {lost} on " in line[30:] and deed in line for deed in deeds)]
    others = [line for line in lines_of(err) if line not in guilty and "XYLEM_TIMEOUT" not in "".join(guilty)]
    return f"these do not say that rank {lost} {' or '.join(deeds)}: {others}" if others or not guilty else None
