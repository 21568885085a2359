# tf.function(f, input_signature=input_signature)
import tensorflow as tf

input_signature = [
    tf.TensorSpec(shape=[None, None], dtype=tf.int64, name="ids"),
    tf.TensorSpec(shape=[None, None], dtype=tf.float32, name="window"),
    tf.TensorSpec(shape=[None, 2], dtype=tf.float32, name="pair"),
]
