class Job: ...

class Helper:
    process: int

class Crew:
    idle: list[Helper]
